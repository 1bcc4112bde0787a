#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu_fuzz_targets::action_text::run(bytes);
});
