//! The tests of the service once more, with a store in every server.

use std::env;
use std::process::Command;

use crate::server::STORE_VARIABLE;

/// The modules and tests that are the same with and without a store. They have a store of their own, test servers without a
/// store, or host no match in this process.
const SAME: [&str; 11] = [
    "agents::",
    "api_page::",
    "catalog::",
    "compete::",
    "discovery::",
    "environments::",
    "expiry::",
    "journal::",
    // The store treats tables of all seat counts alike, and the other tests have tables of two and three seats.
    "leaks::nothing_leaks_at_six_seats",
    "protos::",
    "restart::",
];

#[test]
fn every_test_passes_with_a_store() {
    if env::var_os(STORE_VARIABLE).is_some() {
        return;
    }
    let mut tests = Command::new(env::current_exe().expect("the test is a file"));
    tests.env(STORE_VARIABLE, "sqlite").args(SAME.iter().flat_map(|&module| ["--skip", module]));

    let output = tests.output().expect("the tests start");

    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // Hundreds of tests that passed would hide what a failed one printed from whoever reads the end of a log.
    let failed = &out[out.find("\nfailures:").unwrap_or(0)..];
    assert!(output.status.success(), "the tests fail with {STORE_VARIABLE}=sqlite:\n{failed}{err}");
    let passed = out.lines().filter(|line| line.ends_with(" ... ok")).count();
    assert!(passed > 80, "expected more than 80 tests, got {passed}:\n{out}");
}
