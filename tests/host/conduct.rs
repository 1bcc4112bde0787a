//! Conduct: which consequences of faults contradict each other or the clocks.

use std::num::{NonZeroU8, NonZeroU32};

use ahu_host::{Cause, Conduct, Consequence, TimeControl};

/// Returns a conduct with one consequence that is not the default, and a limit of absence.
fn with(cause: Cause, consequence: Consequence) -> Conduct {
    let mut conduct = Conduct { absence_limit: NonZeroU32::new(1000), ..Conduct::default() };
    match cause {
        Cause::Illegal => conduct.illegal = consequence,
        Cause::Unreadable => conduct.unreadable = consequence,
        Cause::Timeout => conduct.timeout = consequence,
        Cause::Exited => conduct.exited = consequence,
        Cause::Absent => conduct.absent = consequence,
        Cause::Resigned => conduct.resigned = consequence,
    }
    conduct
}

#[test]
fn each_fault_has_the_consequences_that_make_sense() {
    let contradictions = [
        (Cause::Timeout, Consequence::Refusal, "a strike or a forfeit"),
        (Cause::Resigned, Consequence::Strike, "a refusal or a forfeit"),
        (Cause::Exited, Consequence::Strike, "a refusal or a forfeit"),
        (Cause::Absent, Consequence::Refusal, "a strike or a forfeit"),
    ];
    for cause in Cause::ALL {
        for consequence in Consequence::ALL {
            let conduct = with(cause, consequence);
            assert_eq!(conduct.consequence(cause), consequence);
            assert_eq!(conduct.has_strikes(), consequence == Consequence::Strike, "{cause} {consequence}");
            let expected = contradictions
                .iter()
                .find(|row| (row.0, row.1) == (cause, consequence))
                .map(|row| format!("expected {} as the consequence of {cause}, got a {consequence}", row.2));
            assert_eq!(conduct.check(&[TimeControl::default()]).err(), expected, "{cause} {consequence}");
        }
    }
}

#[test]
fn an_absence_without_a_limit_needs_no_consequence() {
    let conduct = Conduct { absence_limit: None, ..with(Cause::Absent, Consequence::Refusal) };
    assert_eq!(conduct.check(&[]), Ok(()));
}

#[test]
fn a_bank_cannot_begin_anew_after_a_strike() {
    let bank = TimeControl { bank: NonZeroU32::new(60_000), ..TimeControl::default() };
    let limit = TimeControl { limit: NonZeroU32::new(60_000), ..TimeControl::default() };
    let conduct = with(Cause::Timeout, Consequence::Strike);

    assert_eq!(conduct.check(&[limit]), Ok(()));
    let refusal = conduct.check(&[limit, bank]).expect_err("one seat has a bank");
    assert_eq!(
        refusal,
        "expected a forfeit for a timeout with a bank, since an empty bank cannot begin anew; got a strike"
    );
    assert_eq!(Conduct::default().check(&[bank]), Ok(()));
}

#[test]
fn strikes_are_for_illegal_actions() {
    for strikes in [1, 3, 255] {
        let strikes = NonZeroU8::new(strikes).expect("it is not 0");
        let expected = Conduct { illegal: Consequence::Strike, strikes, ..Conduct::default() };
        assert_eq!(Conduct::with_strikes(strikes), expected);
    }
}
