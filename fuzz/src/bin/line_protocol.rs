#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ahu_arena::fuzzing::line_protocol::run(bytes);
});
