#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu::fuzzing::page_requests::run(bytes);
});
