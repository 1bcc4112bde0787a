#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu_service::fuzzing::page_requests::run(bytes);
});
