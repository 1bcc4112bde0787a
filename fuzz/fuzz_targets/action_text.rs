#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu::fuzzing::action_text::run(bytes);
});
