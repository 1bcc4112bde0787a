//! The laws that compare what the server has told with what the disk has.

use std::collections::{BTreeMap, BTreeSet};

use ahu_core::{Seat, Viewer};
use ahu_host::{Cause, DecidedBy, Entry, Referee, SeatPlayer, ThinkingTime};

use crate::claims::Claims;
use crate::disk::{Disk, Kept};
use crate::world::comment;

/// A decision in the log.
struct Taken {
    action: u32,
    by: DecidedBy,
    time: ThinkingTime,
    /// The uptime at which the decision was on the disk, so that its agent could learn of it.
    opened: u64,
}

/// A match, folded from its log.
#[derive(Default)]
struct Folded {
    referee: Option<Referee>,
    decisions: BTreeMap<(u32, u32), Taken>,
    /// The seats that were out of time, each with the time that was left for the decision, and the time that passed between the
    /// commits of the decision and of the timeout.
    timeouts: Vec<(u32, u64, u64)>,
}

impl Folded {
    fn of(kept: &Kept) -> Result<Self, String> {
        let mut folded = Self::default();
        let mut players: Vec<_> = kept.head.bots.iter().map(|bot| bot.map(SeatPlayer::bot)).collect();
        for taken in kept.seats() {
            players[taken.seat.index()] = Some(SeatPlayer::external(&taken.name));
        }
        let (Some(players), false) = (players.into_iter().collect::<Option<Vec<_>>>(), kept.steps.is_empty()) else {
            return Ok(folded);
        };
        let head = &kept.head;
        let mut referee = Referee::before_the_first_ply(head.setup.clone(), head.seed, players, head.terms.clone());
        let mut opened: BTreeMap<(Seat, u32), u64> = BTreeMap::new();
        // The time that each seat has used of the limit of its next decision.
        let mut spans: BTreeMap<Seat, u64> = BTreeMap::new();
        let note_open = |opened: &mut BTreeMap<_, _>, referee: &Referee, stamp| {
            for seat in head.setup.seats().iter() {
                if let Some(decision) = referee.decision(seat) {
                    opened.entry((seat, decision)).or_insert(stamp);
                }
            }
        };
        note_open(&mut opened, &referee, kept.begun);
        for (step, &stamp) in kept.steps.iter().zip(&kept.stamps) {
            for (n, entry) in step.entries.iter().enumerate() {
                match entry {
                    // The last strike costs the seat.
                    Entry::Forfeit { .. } if n > 0 && matches!(step.entries[n - 1], Entry::Strike { .. }) => {}
                    Entry::Action { seat, id, by, time } => {
                        let decision = referee.decision(*seat).ok_or("an action without a decision")?;
                        let opened = opened.get(&(*seat, decision)).copied().unwrap_or(stamp);
                        // A chain of decisions has one limit, and its last decision is charged for all.
                        let used = if time.charged == 0 { u64::from(time.measured) } else { 0 };
                        let before = spans.remove(seat).filter(|_| time.charged == 0).unwrap_or(0);
                        spans.insert(*seat, before + used);
                        let taken = Taken { action: u32::from(id.0), by: *by, time: *time, opened };
                        if folded.decisions.insert((seat.index() as u32, decision), taken).is_some() {
                            return Err(format!("a decision has one effect: {seat} decides {decision} twice"));
                        }
                    }
                    Entry::Strike { seat, cause: Cause::Timeout, decision, .. } => {
                        let since = opened.get(&(*seat, *decision)).copied().unwrap_or(stamp);
                        let left = limit_of(kept, *seat).saturating_sub(spans.remove(seat).unwrap_or(0));
                        folded.timeouts.push((seat.index() as u32, left, stamp.saturating_sub(since)));
                        // The time of the decision began anew, not before its end.
                        opened.insert((*seat, *decision), since + left);
                    }
                    Entry::Forfeit { seat, cause: Cause::Timeout } => {
                        let decision = referee.decision(*seat).ok_or("a timeout without a decision")?;
                        let since = opened.get(&(*seat, decision)).copied().unwrap_or(stamp);
                        let left = limit_of(kept, *seat).saturating_sub(spans.remove(seat).unwrap_or(0));
                        folded.timeouts.push((seat.index() as u32, left, stamp.saturating_sub(since)));
                    }
                    _ => {}
                }
                referee.apply(entry).map_err(|error| format!("the log is in order: {error}"))?;
            }
            note_open(&mut opened, &referee, stamp);
        }
        folded.referee = Some(referee);
        Ok(folded)
    }
}

/// Returns the limit of a decision of a seat; 0 without a limit.
fn limit_of(kept: &Kept, seat: Seat) -> u64 {
    let clock = kept.head.terms.clocks.get(seat.index());
    clock.and_then(|clock| clock.limit).map_or(0, |limit| limit.get().into())
}

/// Checks everything that was told against the disk. An error names the law.
pub(crate) fn check(claims: &Claims, disk: &Disk) -> Result<(), String> {
    let mut labels = BTreeSet::new();
    for kept in disk.all() {
        if !labels.insert(kept.head.labels.get("table").cloned()) {
            return Err(format!("a request has one effect: {:?} led to two matches", kept.head.labels));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = kept.seats().find(|taken| !names.insert(&taken.name)) {
            return Err(format!("a request has one effect: {} took two seats", twice.name));
        }
    }
    let mut matches = BTreeMap::new();
    for (table, match_id) in &claims.created {
        let kept = disk.find(match_id).ok_or("what was acknowledged is kept: a match is lost")?;
        let folded = Folded::of(&kept)?;
        matches.insert(*table, (kept, folded));
    }
    for (name, (table, seat, _)) in &claims.joined {
        let (kept, _) = &matches[table];
        let seats: Vec<_> = kept.seats().filter(|taken| taken.name == *name).map(|taken| taken.seat.index()).collect();
        if seats != [*seat as usize] {
            return Err(format!("what was acknowledged is kept: {name} got seat {seat}, and the log has {seats:?}"));
        }
    }
    for ((table, seat, decision), action) in &claims.steps {
        let taken = matches[table].1.decisions.get(&(*seat, *decision)).map(|taken| taken.action);
        if taken != Some(*action) {
            return Err(format!(
                "what was acknowledged is kept: table {table}, seat {seat}, decision {decision} was {action}, and the log \
                 has {taken:?}"
            ));
        }
    }
    for (table, state) in &claims.ended {
        let kept = &matches[table].0;
        if kept.state != *state {
            return Err(format!("what was acknowledged is kept: told {state:?}, and the log has {:?}", kept.state));
        }
    }
    for ((table, viewer), told) in &claims.events {
        let seat = |seat: u32| Viewer::Seat(Seat::new(seat as usize).expect("a seat of the match"));
        check_events(&matches[table].1, viewer.map_or(Viewer::Public, seat), told)?;
    }
    for (table, (kept, folded)) in &matches {
        check_clocks(claims, *table, kept, folded)?;
        check_comments(kept, folded)?;
    }
    Ok(())
}

/// Checks that the log has one comment for each action that an agent took, in the order of the decisions: the comment that came
/// with the action. Agents comment on every action that they send.
fn check_comments(kept: &Kept, folded: &Folded) -> Result<(), String> {
    let mut commented = BTreeMap::new();
    for comment in &kept.comments {
        if commented.insert((comment.seat.index() as u32, comment.decision), &comment.text).is_some() {
            return Err(format!("the first comment counts: a decision has another one, {comment:?}"));
        }
    }
    let is_of_agent =
        |seat: u32, taken: &Taken| kept.head.bots[seat as usize].is_none() && taken.by == DecidedBy::Player;
    for ((seat, decision), taken) in folded.decisions.iter().filter(|((seat, _), taken)| is_of_agent(*seat, taken)) {
        let (found, expected) = (commented.remove(&(*seat, *decision)), comment(*decision, taken.action));
        if found != Some(&expected) {
            return Err(format!(
                "a comment is kept with its action: seat {seat} said {expected:?}, and the log has {found:?}"
            ));
        }
    }
    match commented.first_key_value() {
        None => Ok(()),
        Some(stray) => Err(format!("a refused action leaves no comment: the log has {stray:?}")),
    }
}

/// Checks that the log has the events that a viewer was told.
fn check_events(folded: &Folded, viewer: Viewer, told: &BTreeMap<u32, String>) -> Result<(), String> {
    let Some(referee) = &folded.referee else {
        return if told.is_empty() {
            Ok(())
        } else {
            Err("what was told is kept: a match with events is lost".to_owned())
        };
    };
    let kept: BTreeMap<_, _> = referee
        .events_after(viewer, 0, usize::MAX)
        .into_iter()
        .filter_map(|(number, event)| Some((number as u32, event.event.text_for(viewer)?.clone())))
        .collect();
    for (number, text) in told {
        if kept.get(number) != Some(text) {
            return Err(format!(
                "what was told is kept: event {number} was {text:?}, and the log has {:?}",
                kept.get(number)
            ));
        }
    }
    Ok(())
}

/// Checks that every action of an agent was sent by the agent, and that no clock charged more than was used.
fn check_clocks(claims: &Claims, table: usize, kept: &Kept, folded: &Folded) -> Result<(), String> {
    for ((seat, decision), taken) in &folded.decisions {
        if kept.head.bots[*seat as usize].is_some() || taken.by != DecidedBy::Player {
            continue;
        }
        let key = (table, *seat, *decision);
        if !claims.sent.get(&key).is_some_and(|sent| sent.contains(&taken.action)) {
            return Err(format!("agents decide for themselves: nobody sent {} for {key:?}", taken.action));
        }
        let used = claims.arrivals[&key].saturating_sub(taken.opened);
        if u64::from(taken.time.measured) > used {
            let measured = taken.time.measured;
            return Err(format!("clocks charge what was used: {key:?} took {used} ms, and was charged {measured} ms"));
        }
    }
    for (seat, left, passed) in &folded.timeouts {
        if passed < left {
            return Err(format!("clocks charge what was used: seat {seat} was out of {left} ms after {passed} ms"));
        }
    }
    Ok(())
}
