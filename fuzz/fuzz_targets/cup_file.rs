#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu::fuzzing::cup_file::run(bytes);
});
