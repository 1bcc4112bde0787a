//! The terms of matches as messages.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use ahu_core::{BySeat, Seat, Seats};
use ahu_messages::v1;
use prost_types::Duration;

use super::api_error::ApiError;
use super::convert::{self, duration};
use crate::{AnySetup, Cause, Conduct, Consequence, MAX_CONTROL, Terms, TimeControl, ensure};

/// The free time of each span, in milliseconds, if a time control states none.
pub const DEFAULT_LAG: u32 = 200;

/// Reads the terms in a request for a match. `idle` is the limit of a span for seats without any limit, in milliseconds.
pub fn read(request: &v1::MatchSpec, setup: &dyn AnySetup, idle: Option<NonZeroU32>) -> Result<Terms, ApiError> {
    let clocks = clocks(request, setup.seats())?;
    let conduct = request.conduct.as_ref().map(read_conduct).transpose()?.unwrap_or_default();
    conduct.check(&clocks).map_err(|message| ApiError::bad_field("conduct", message))?;
    let bot =
        |name: &str| setup.rules().bot(name).map_err(|error| ApiError::unknown_bot(&error, name).of_field("stand_in"));
    let stand_in = Some(request.stand_in.as_str()).filter(|name| !name.is_empty()).map(bot).transpose()?;
    Ok(Terms { conduct, clocks, idle, stand_in })
}

/// Returns the clock of each seat; none if the request has no clocks. Seats of bots have no clock.
fn clocks(request: &v1::MatchSpec, seats: Seats) -> Result<Vec<TimeControl>, ApiError> {
    if request.time_control.is_none() && request.seat_time_controls.is_empty() {
        return Ok(Vec::new());
    }
    let is_bot = |seat: Seat| request.bots.iter().any(|bot| bot.seat == Some(seat.index() as u32));
    let general = request.time_control.as_ref().map(|control| read_control(control, &PATHS)).transpose()?;
    let general = general.unwrap_or_default();
    let mut own = BySeat::new(seats, None);
    for control in &request.seat_time_controls {
        let seat =
            convert::read_seat(control.seat, seats).map_err(|error| error.of_field("seat_time_controls.seat"))?;
        let bad_seat = |expected: &str| {
            let message = format!("expected {expected} in `seat_time_controls`, got seat {seat}");
            ApiError::bad_field("seat_time_controls.seat", message)
        };
        ensure(own[seat].is_none(), || bad_seat("each seat at most once"))?;
        ensure(!is_bot(seat), || bad_seat("seats without bots"))?;
        let control = control.time_control.as_ref().ok_or_else(|| {
            let message = format!("expected a clock for seat {seat}, got none");
            ApiError::bad_field("seat_time_controls.time_control", message)
        })?;
        own[seat] = Some(read_control(control, &PATHS_OF_SEAT)?);
    }
    let clock = |seat| if is_bot(seat) { TimeControl::default() } else { own[seat].unwrap_or(general) };
    Ok(seats.iter().map(clock).collect())
}

/// The paths of the fields of a time control: startup, limit, bank, increment, lag.
type Paths = [&'static str; 5];

const PATHS: Paths =
    ["time_control.startup", "time_control.limit", "time_control.bank", "time_control.increment", "time_control.lag"];

const PATHS_OF_SEAT: Paths = [
    "seat_time_controls.time_control.startup",
    "seat_time_controls.time_control.limit",
    "seat_time_controls.time_control.bank",
    "seat_time_controls.time_control.increment",
    "seat_time_controls.time_control.lag",
];

fn read_control(control: &v1::TimeControl, paths: &Paths) -> Result<TimeControl, ApiError> {
    let [startup, limit, bank, increment, lag] = *paths;
    let read = TimeControl {
        startup: read_time(control.startup.as_ref(), startup)?.unwrap_or(0),
        limit: read_limit(control.limit.as_ref(), limit)?,
        bank: read_limit(control.bank.as_ref(), bank)?,
        increment: read_time(control.increment.as_ref(), increment)?.unwrap_or(0),
        lag: read_time(control.lag.as_ref(), lag)?.unwrap_or(DEFAULT_LAG),
    };
    read.check().map_err(|message| ApiError::bad_field(increment, message))?;
    Ok(read)
}

/// Reads consequences from a message. Unspecified ones have their defaults.
fn read_conduct(conduct: &v1::Conduct) -> Result<Conduct, ApiError> {
    let defaults = Conduct::default();
    let tries = match conduct.tries {
        0 => defaults.tries,
        tries => u16::try_from(tries).ok().and_then(NonZeroU16::new).ok_or_else(|| {
            ApiError::bad_field("conduct.tries", format!("expected 1 to {} tries, or 0 for 50; got {tries}", u16::MAX))
        })?,
    };
    let read = Conduct::of(|cause| match cause {
        Cause::Illegal => read_consequence(conduct.illegal, "conduct.illegal", defaults.illegal),
        Cause::Unreadable => read_consequence(conduct.unreadable, "conduct.unreadable", defaults.unreadable),
        Cause::Timeout => read_consequence(conduct.timeout, "conduct.timeout", defaults.timeout),
        Cause::Exited => read_consequence(conduct.exited, "conduct.exited", defaults.exited),
        Cause::Absent => read_consequence(conduct.absent, "conduct.absent", defaults.absent),
        Cause::Resigned => read_consequence(conduct.resigned, "conduct.resigned", defaults.resigned),
    })?;
    let absence_limit = read_limit(conduct.absence_limit.as_ref(), "conduct.absence_limit")?;
    let strikes = match conduct.strikes {
        None => defaults.strikes,
        Some(strikes) => u8::try_from(strikes).ok().and_then(NonZeroU8::new).ok_or_else(|| {
            ApiError::bad_field("conduct.strikes", format!("expected 1 to 255 strikes, or none for 3; got {strikes}"))
        })?,
    };
    ensure(conduct.strikes.is_none() || read.has_strikes(), || {
        let expected = "expected a fault with the consequence STRIKE";
        ApiError::bad_field("conduct.strikes", format!("{expected} for {strikes} strikes, got none"))
    })?;
    Ok(Conduct { absence_limit, strikes, tries, ..read })
}

fn read_consequence(value: i32, path: &'static str, default: Consequence) -> Result<Consequence, ApiError> {
    Ok(match ApiError::read_value(path, value)? {
        v1::Consequence::Unspecified => default,
        v1::Consequence::Refusal => Consequence::Refusal,
        v1::Consequence::Strike => Consequence::Strike,
        v1::Consequence::Forfeit => Consequence::Forfeit,
    })
}

/// Reads a time above 0; None if there is none.
fn read_limit(duration: Option<&Duration>, path: &'static str) -> Result<Option<NonZeroU32>, ApiError> {
    let zero = || ApiError::bad_field(path, "expected a time above 0, or none for no limit; got 0");
    read_time(duration, path)?.map(|time| NonZeroU32::new(time).ok_or_else(zero)).transpose()
}

/// Reads a time of at most a day in milliseconds, rounded up; None if there is none.
fn read_time(duration: Option<&Duration>, path: &'static str) -> Result<Option<u32>, ApiError> {
    let Some(&Duration { seconds, nanos }) = duration else { return Ok(None) };
    let refused =
        |expected: &str| ApiError::bad_field(path, format!("expected {expected}, got {seconds} s and {nanos} ns"));
    ensure(seconds >= 0 && nanos >= 0, || refused("a time of 0 or more"))?;
    ensure(nanos < 1_000_000_000, || refused("less than a second in nanoseconds"))?;
    let milliseconds =
        seconds.saturating_mul(1000).saturating_add(i64::from(nanos.cast_unsigned().div_ceil(1_000_000)));
    let time = u32::try_from(milliseconds).ok().filter(|&time| time <= MAX_CONTROL);
    time.map(Some).ok_or_else(|| refused("a time of at most a day (86400 s)"))
}

/// Returns the clock of each seat; empty without clocks.
pub fn time_controls(terms: &Terms) -> Vec<v1::TimeControl> {
    terms.clocks.iter().map(time_control).collect()
}

/// Returns the clock of one seat, with all fields but limits that it does not have.
pub fn time_control(control: &TimeControl) -> v1::TimeControl {
    let &TimeControl { startup, limit, bank, increment, lag } = control;
    let of_limit = |limit: Option<NonZeroU32>| limit.map(|limit| duration(limit.get()));
    v1::TimeControl {
        startup: Some(duration(startup)),
        limit: of_limit(limit),
        bank: of_limit(bank),
        increment: Some(duration(increment)),
        lag: Some(duration(lag)),
    }
}

/// Returns the consequences of faults, all specified.
pub fn conduct(conduct: &Conduct) -> v1::Conduct {
    let consequence = |cause| -> i32 {
        let value = match conduct.consequence(cause) {
            Consequence::Refusal => v1::Consequence::Refusal,
            Consequence::Strike => v1::Consequence::Strike,
            Consequence::Forfeit => v1::Consequence::Forfeit,
        };
        value.into()
    };
    v1::Conduct {
        illegal: consequence(Cause::Illegal),
        unreadable: consequence(Cause::Unreadable),
        timeout: consequence(Cause::Timeout),
        exited: consequence(Cause::Exited),
        absent: consequence(Cause::Absent),
        resigned: consequence(Cause::Resigned),
        absence_limit: conduct.absence_limit.map(|limit| duration(limit.get())),
        tries: conduct.tries.get().into(),
        strikes: conduct.has_strikes().then(|| conduct.strikes.get().into()),
    }
}

/// Returns a cause.
pub fn cause(cause: Cause) -> v1::Cause {
    match cause {
        Cause::Illegal => v1::Cause::Illegal,
        Cause::Unreadable => v1::Cause::Unreadable,
        Cause::Timeout => v1::Cause::Timeout,
        Cause::Exited => v1::Cause::Exited,
        Cause::Absent => v1::Cause::Absent,
        Cause::Resigned => v1::Cause::Resigned,
    }
}

/// Returns the forfeits of a match, by seat.
pub fn forfeits(forfeits: &BySeat<Option<Cause>>) -> Vec<v1::Forfeit> {
    let of_seat = |seat: Seat| {
        let cause = cause(forfeits[seat]?).into();
        Some(v1::Forfeit { seat: Some(seat.index() as u32), cause })
    };
    forfeits.seats().iter().filter_map(of_seat).collect()
}

/// Returns the clocks with a bank, by seat. `banks` has the time that is left in each bank, in milliseconds.
pub fn seat_clocks(banks: &BySeat<Option<u32>>) -> Vec<v1::SeatClock> {
    let of_seat = |seat: Seat| {
        let bank = Some(duration(banks[seat]?));
        Some(v1::SeatClock { seat: Some(seat.index() as u32), bank })
    };
    banks.seats().iter().filter_map(of_seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BotName, find};

    const fn of_seconds(seconds: i64) -> Duration {
        Duration { seconds, nanos: 0 }
    }

    fn read_for_two(request: &v1::MatchSpec) -> Result<Terms, ApiError> {
        let setup = find("rappanui").expect("it is in the catalog").configure(2, &[]).expect("the defaults");
        read(request, &*setup, NonZeroU32::new(600_000))
    }

    fn of_seat(seat: Option<u32>, time_control: Option<v1::TimeControl>) -> v1::SeatTimeControl {
        v1::SeatTimeControl { seat, time_control }
    }

    fn fischer() -> v1::TimeControl {
        v1::TimeControl { bank: Some(of_seconds(300)), increment: Some(of_seconds(2)), ..v1::TimeControl::default() }
    }

    #[test]
    fn a_request_without_terms_has_the_defaults() {
        let terms = read_for_two(&v1::MatchSpec::default()).expect("it is valid");
        assert_eq!(terms, Terms { idle: NonZeroU32::new(600_000), ..Terms::default() });
        let illegal = v1::Consequence::Strike.into();
        let conduct = Some(v1::Conduct { illegal, strikes: Some(5), ..v1::Conduct::default() });
        let strikes = v1::MatchSpec { conduct, ..v1::MatchSpec::default() };
        let terms = read_for_two(&strikes).expect("it is valid");
        assert_eq!(terms.conduct, Conduct::with_strikes(NonZeroU8::new(5).expect("5 is not 0")));
    }

    #[test]
    fn terms_are_the_same_after_they_were_a_message() {
        let request = v1::MatchSpec {
            time_control: Some(fischer()),
            seat_time_controls: vec![of_seat(
                Some(1),
                Some(v1::TimeControl {
                    limit: Some(of_seconds(7)),
                    startup: Some(of_seconds(30)),
                    lag: Some(of_seconds(0)),
                    ..fischer()
                }),
            )],
            conduct: Some(v1::Conduct {
                unreadable: v1::Consequence::Strike.into(),
                exited: v1::Consequence::Refusal.into(),
                absence_limit: Some(Duration { seconds: 60, nanos: 1 }),
                tries: 7,
                ..v1::Conduct::default()
            }),
            stand_in: "random".to_owned(),
            ..v1::MatchSpec::default()
        };
        let terms = read_for_two(&request).expect("it is valid");
        assert_eq!(terms.clocks[0].lag, DEFAULT_LAG);
        assert_eq!((terms.clocks[1].startup, terms.clocks[1].lag), (30_000, 0));
        assert_eq!(terms.conduct.absence_limit, NonZeroU32::new(60_001), "times are rounded up");
        assert_eq!(terms.stand_in.map(BotName::name).as_deref(), Some("random@1"));

        let again = v1::MatchSpec {
            seat_time_controls: (0..)
                .zip(time_controls(&terms))
                .map(|(seat, own)| of_seat(Some(seat), Some(own)))
                .collect(),
            conduct: Some(conduct(&terms.conduct)),
            stand_in: "random@1".to_owned(),
            ..v1::MatchSpec::default()
        };
        assert_eq!(read_for_two(&again).expect("it is valid"), terms);
    }

    #[test]
    fn each_wrong_field_is_named() {
        let control = |control| v1::MatchSpec { time_control: Some(control), ..v1::MatchSpec::default() };
        let none = v1::TimeControl::default;
        let conduct = |conduct| v1::MatchSpec { conduct: Some(conduct), ..v1::MatchSpec::default() };
        let seats = |seat_time_controls| v1::MatchSpec { seat_time_controls, ..v1::MatchSpec::default() };
        let usual = v1::Conduct::default;
        let [refusal, strike] = [v1::Consequence::Refusal, v1::Consequence::Strike].map(i32::from);
        let nanos = |nanos| Some(Duration { seconds: 1, nanos });
        let cases = [
            ("time_control.limit", control(v1::TimeControl { limit: Some(of_seconds(0)), ..none() })),
            ("time_control.limit", control(v1::TimeControl { limit: Some(of_seconds(-1)), ..none() })),
            ("time_control.limit", control(v1::TimeControl { limit: nanos(-1), ..none() })),
            ("time_control.limit", control(v1::TimeControl { limit: nanos(1_000_000_000), ..none() })),
            ("time_control.bank", control(v1::TimeControl { bank: Some(of_seconds(0)), ..none() })),
            ("time_control.bank", control(v1::TimeControl { bank: Some(of_seconds(86_401)), ..none() })),
            ("time_control.bank", control(v1::TimeControl { bank: Some(of_seconds(i64::MAX)), ..none() })),
            ("time_control.startup", control(v1::TimeControl { startup: Some(of_seconds(-5)), ..none() })),
            ("time_control.lag", control(v1::TimeControl { lag: Some(of_seconds(86_401)), ..none() })),
            ("time_control.increment", control(v1::TimeControl { increment: Some(of_seconds(1)), ..none() })),
            ("seat_time_controls.seat", seats(vec![of_seat(Some(2), Some(fischer()))])),
            ("seat_time_controls.seat", seats(vec![of_seat(None, Some(fischer()))])),
            ("seat_time_controls.seat", seats(vec![of_seat(Some(1), Some(fischer())); 2])),
            ("seat_time_controls.time_control", seats(vec![of_seat(Some(1), None)])),
            (
                "seat_time_controls.time_control.bank",
                seats(vec![of_seat(Some(1), Some(v1::TimeControl { bank: Some(of_seconds(-1)), ..none() }))]),
            ),
            ("conduct.illegal", conduct(v1::Conduct { illegal: 9, ..usual() })),
            ("conduct.tries", conduct(v1::Conduct { tries: 65_536, ..usual() })),
            ("conduct.absence_limit", conduct(v1::Conduct { absence_limit: Some(of_seconds(0)), ..usual() })),
            ("conduct", conduct(v1::Conduct { timeout: refusal, ..usual() })),
            ("conduct", conduct(v1::Conduct { resigned: strike, ..usual() })),
            ("conduct", conduct(v1::Conduct { absent: refusal, absence_limit: Some(of_seconds(5)), ..usual() })),
            (
                "conduct",
                v1::MatchSpec { time_control: Some(fischer()), ..conduct(v1::Conduct { timeout: strike, ..usual() }) },
            ),
            ("conduct.strikes", conduct(v1::Conduct { strikes: Some(3), ..usual() })),
            ("conduct.strikes", conduct(v1::Conduct { strikes: Some(256), illegal: strike, ..usual() })),
            ("stand_in", v1::MatchSpec { stand_in: "greedy@9".to_owned(), ..v1::MatchSpec::default() }),
            (
                "seat_time_controls.seat",
                v1::MatchSpec {
                    bots: vec![v1::BotSeat { seat: Some(1), ..v1::BotSeat::default() }],
                    ..seats(vec![of_seat(Some(1), Some(fischer()))])
                },
            ),
        ];
        for (field, request) in cases {
            let error = read_for_two(&request).expect_err(field);
            assert_eq!(error.field, Some(field), "{error}, for {request:?}");
            let message = error.message();
            assert!(message.contains("expected"), "{field}: {message}");
        }
    }
}
