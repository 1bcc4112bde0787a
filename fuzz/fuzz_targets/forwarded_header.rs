#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu::fuzzing::forwarded_header::run(bytes);
});
