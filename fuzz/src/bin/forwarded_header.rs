#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu_service::fuzzing::forwarded_header::run(bytes);
});
