//! `ahu check-agent --positions`: the choices of an agent at given points of records.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu_arena::programs::{FREE_PORT, LocalMatches, ProgramSpec, Programs};
use ahu_core::Seat;
use ahu_host::{Conduct, Consequence, DecidedBy, Entry, Referee, Terms};
use ahu_service::{LiveMatch, MatchConfig, SupervisorConfig};

use super::{forfeit, with_refusal};
use crate::CliError;
use crate::files::opening::Opening;
use crate::files::position::Position;
use crate::terminal;

/// A match that has come to a position.
struct AtPosition {
    live: Arc<LiveMatch>,
    seat: Seat,
    /// The number of decisions that the seat has made.
    answered: u32,
}

/// Lets an agent decide at a position. Returns Ok with its action if the action is right, and Err with the reason otherwise.
pub(super) fn check(
    path: &Path,
    position: &Position,
    spec: &ProgramSpec,
    patience: Duration,
) -> Result<Result<String, String>, CliError> {
    let wrong = |error: String| CliError::Usage(format!("{}: {error}", path.display()));
    let opening = Opening::read(path, Some(position.ply)).map_err(CliError::Usage)?;
    let matches = LocalMatches::new(FREE_PORT);
    let at = come_to(&matches, opening, position).map_err(wrong)?;
    let expected = expected(&at, position).map_err(wrong)?;
    let mut programs = Programs::new(matches, Arc::clone(&at.live))?;
    let seat = at.seat.index() as u32;
    let output = Some(terminal::output_of_seat(seat));
    programs.start(seat, &ProgramSpec { output, ..spec.clone() })?;
    let decided = decide(&at, &mut programs, spec, patience);
    // The rest of the match is nobody's concern.
    drop(at.live.cancel("the position is checked"));
    programs.stop();
    Ok(decided.and_then(|action| match expected.is_right(&action) {
        true => Ok(action),
        false => Err(format!("chose {action}, {}", expected.text())),
    }))
}

/// Hosts a match that begins at the position.
fn come_to(matches: &LocalMatches, opening: Opening, position: &Position) -> Result<AtPosition, String> {
    let Opening { record, plies } = opening;
    let Entry::Action { seat: made, .. } = record.entries[record.entries_before(position.ply)?] else {
        return Err(format!("expected the ply of a decision, got {}, which chance made", position.ply));
    };
    let conduct = Conduct { illegal: Consequence::Forfeit, unreadable: Consequence::Forfeit, ..Conduct::default() };
    let terms = Terms { conduct, ..Terms::default() };
    let config = MatchConfig {
        seed: Some(record.seed),
        beginning: plies,
        terms,
        supervisor: Some(SupervisorConfig::Author { pauses: false }),
        is_unlisted: true,
        ..MatchConfig::new(record.setup.clone())
    };
    let live = matches.matches().host(config).map_err(|error| error.message())?;
    for (seat, player) in record.setup.seats().iter().zip(&record.players) {
        // A new player must not have the name of a bot.
        let name = if player.bot.is_some() { format!("seat {seat}") } else { player.name.clone() };
        live.join(Some(seat.index() as u32), &name).map_err(|error| error.message())?;
    }
    let seats = record.setup.seats();
    let seat = match position.seat {
        Some(index) => {
            seats.get(index).ok_or_else(|| format!("expected a seat below {}, got {index}", seats.count()))?
        }
        None => made,
    };
    let answered = live.with_referee(|referee| referee.decision(seat).map(|_| referee.answered(seat))).flatten();
    let answered = answered.ok_or_else(|| format!("seat {seat} has nothing to decide at ply {}", position.ply))?;
    Ok(AtPosition { live, seat, answered })
}

/// The actions that are right, or those that are wrong.
enum Expected {
    OneOf(Vec<String>),
    NoneOf(Vec<String>),
}

/// Checks that the actions of a position are legal there.
fn expected(at: &AtPosition, position: &Position) -> Result<Expected, String> {
    let rules = at.live.rules();
    let texts = |referee: &Referee| {
        let legal = referee.legal_actions(at.seat);
        legal.iter().filter_map(|id| rules.action_text(id)).collect::<Vec<_>>()
    };
    let legal = at.live.with_referee(texts).unwrap_or_default();
    for action in position.one_of.iter().chain(&position.none_of) {
        if !legal.contains(action) {
            return Err(format!("expected a legal action at ply {}, got \"{action}\"", position.ply));
        }
    }
    Ok(match position.one_of.is_empty() {
        true => Expected::NoneOf(position.none_of.clone()),
        false => Expected::OneOf(position.one_of.clone()),
    })
}

impl Expected {
    fn is_right(&self, action: &String) -> bool {
        match self {
            Self::OneOf(right) => right.contains(action),
            Self::NoneOf(wrong) => !wrong.contains(action),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::OneOf(right) => format!("expected {}", right.join(" or ")),
            Self::NoneOf(wrong) => format!("expected anything but {}", wrong.join(" or ")),
        }
    }
}

/// Waits for the first call or line of the agent and then for its decision, each for this time. Returns its action.
fn decide(at: &AtPosition, programs: &mut Programs, spec: &ProgramSpec, patience: Duration) -> Result<String, String> {
    let AtPosition { live, seat, answered } = at;
    let mut changes = live.changes();
    let (mut since, mut has_begun) = (Instant::now(), false);
    loop {
        changes.mark_unchanged();
        let ended = programs.ended();
        let look = |referee: &Referee| (referee.answered(*seat) > *answered, forfeit(referee, *seat));
        let (has_answered, fault) = live.with_referee(look).unwrap_or_default();
        if has_answered {
            let made = |referee: &Referee| {
                let own = |entry: &&Entry| matches!(entry, Entry::Action { seat: own, by: DecidedBy::Player, .. } if own == seat);
                match referee.entries().iter().filter(own).nth(*answered as usize) {
                    Some(Entry::Action { id, .. }) => live.rules().action_text(*id),
                    _ => None,
                }
            };
            return live.with_referee(made).flatten().ok_or_else(|| "the decision is not in the match".to_owned());
        }
        if let Some(fault) = fault {
            return Err(with_refusal(fault, live, *seat));
        }
        if let Some((_, status)) = ended.first() {
            return Err(format!("the agent exited ({status}) without a decision"));
        }
        if !has_begun && programs.has_begun(*seat) {
            (has_begun, since) = (true, Instant::now());
        }
        if since.elapsed() > patience {
            let what = if has_begun { "decided" } else { spec.protocol.first_sign() };
            return Err(format!("the agent has not {what} for {} s", patience.as_secs_f64()));
        }
        programs.pause(&mut changes);
    }
}
