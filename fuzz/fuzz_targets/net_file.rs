#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu::fuzzing::net_file::run(bytes);
});
