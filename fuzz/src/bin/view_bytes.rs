#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu_fuzz_targets::view_bytes::run(bytes);
});
