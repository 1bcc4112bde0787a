//! The history of a hosted match: how far each viewer may see it, and its course up to any entry.

use std::ops::Range;
use std::sync::PoisonError;

use super::LiveMatch;
use crate::service::course::Course;
use crate::service::error;
use crate::service::matches::progress::Progress;
use ahu_engine::core::{Seat, Viewer};
use ahu_engine::host::api::{ApiError, terms};
use ahu_engine::host::{Entry, Referee};

/// The part of a match that viewers may be shown.
#[derive(Clone, Copy, Debug)]
pub(in crate::service::matches) struct Horizon {
    /// True once all seats are taken.
    pub(in crate::service::matches) has_begun: bool,
    pub(in crate::service::matches) has_ended: bool,
    /// The number of changes that must be kept before anybody is shown it.
    pub(in crate::service::matches) changes: u64,
    /// The number of entries that seats may be shown.
    entries: usize,
    /// The number of entries that the public may be shown.
    public_entries: usize,
}

impl Horizon {
    /// Returns the number of entries that `viewer` may be shown.
    pub(in crate::service::matches) fn entries(&self, viewer: Viewer) -> usize {
        match viewer {
            Viewer::Seat(_) => self.entries,
            Viewer::Public => self.public_entries,
        }
    }
}

impl LiveMatch {
    /// Returns the part of the match that viewers may be shown once its changes are kept: see [`Self::kept`].
    pub(in crate::service::matches) fn horizon(&self) -> Result<Horizon, ApiError> {
        let progress = self.lock();
        if self.is_dropped() {
            return Err(error::unknown_match(&self.id, self.log.is_some()));
        }
        Ok(Horizon {
            has_begun: progress.referee().is_some(),
            has_ended: progress.ending().is_some(),
            changes: progress.changes,
            entries: progress.referee().map_or(0, |referee| referee.entries().len()),
            public_entries: progress.referee().map_or(0, |referee| self.public_entries(referee)),
        })
    }

    /// Waits until this number of changes is kept.
    pub(in crate::service::matches) async fn kept(&self, changes: u64) -> Result<(), ApiError> {
        match &self.log {
            Some(log) => log.kept(changes).await,
            None => Ok(()),
        }
    }

    /// Returns the course of the match before its first entry.
    pub(in crate::service::matches) fn rewound(&self) -> Course {
        self.lock().course().rewound()
    }

    /// Returns the entries from `first` to before `end`, as far as the match has them.
    pub(in crate::service::matches) fn entries(&self, first: usize, end: usize) -> Vec<Entry> {
        self.lock().entries().get(first..end).map(<[Entry]>::to_vec).unwrap_or_default()
    }

    /// Returns the events that `viewer` was told so far, with their numbers.
    pub(in crate::service::matches) fn events(&self, viewer: Viewer) -> Vec<(usize, String)> {
        let progress = self.lock();
        self.show(&progress, viewer, |course| {
            let events = course.referee().map(|referee| referee.events_after(viewer, 0, usize::MAX));
            let told = events.unwrap_or_default().into_iter();
            told.filter_map(|(number, event)| Some((number, event.event.text_for(viewer)?))).collect()
        })
    }

    /// Returns the number of an event and the number of the last one that `viewer` was told. Refuses one that is not reached yet.
    fn told(&self, progress: &Progress, viewer: Viewer, after: u32) -> Result<(usize, usize), ApiError> {
        let (number, told) = (after as usize, self.told_count(progress, viewer));
        match number <= told {
            true => Ok((number, told)),
            false => Err(error::no_such_event("after", after, told)),
        }
    }

    /// Returns the number of entries up to the one that told `viewer` the event with the number `after`: of an entry with
    /// several events, up to the entry before it unless `after` is its last. Refuses a number that is not reached yet.
    pub(in crate::service::matches) fn entries_through_event(
        &self,
        viewer: Viewer,
        after: u32,
    ) -> Result<usize, ApiError> {
        let progress = self.lock();
        let (number, _) = self.told(&progress, viewer, after)?;
        let before = |number| progress.referee().map_or(0, |referee| referee.entries_before_event(viewer, number));
        match number {
            0 => Ok(0),
            _ if before(number + 1) > before(number) => Ok(before(number) + 1),
            _ => Ok(before(number)),
        }
    }

    /// Returns the entry that told `viewer` the event with the number `after`, as a range that is empty for 0, and as long as a
    /// delay holds back other events of the entry. Refuses a number that is not reached yet.
    pub(in crate::service::matches) fn entries_of_event(
        &self,
        viewer: Viewer,
        after: u32,
    ) -> Result<Range<usize>, ApiError> {
        let progress = self.lock();
        let (number, told) = self.told(&progress, viewer, after)?;
        let before = |number| progress.referee().map_or(0, |referee| referee.entries_before_event(viewer, number));
        let start = if number == 0 { 0 } else { before(number) };
        let is_told = number > 0 && before(told + 1) > start;
        Ok(start..start + usize::from(is_told))
    }

    /// Returns the time that is left for this decision of a seat; None without a limit, and once the decision is answered.
    pub(in crate::service::matches) fn time_left(&self, seat: Seat, decision: u32) -> Option<prost_types::Duration> {
        let progress = self.lock();
        let referee = progress.referee().filter(|referee| referee.decision(seat) == Some(decision))?;
        referee.time_left(seat, self.now()).map(terms::duration)
    }

    /// Presents the course of the match as far as `viewer` may see it now. A match may fix a delay for the public.
    pub(in crate::service::matches) fn show<T>(
        &self,
        progress: &Progress,
        viewer: Viewer,
        present: impl FnOnce(&Course) -> T,
    ) -> T {
        let is_delayed = viewer == Viewer::Public && self.head.spectator_delay > 0;
        let Some(referee) = progress.referee().filter(|referee| is_delayed && !referee.is_over()) else {
            return present(progress.course());
        };
        let mut delayed = self.delayed.lock().unwrap_or_else(PoisonError::into_inner);
        let course = delayed.get_or_insert_with(|| progress.course().rewound());
        let shown = course.entries().len();
        for entry in &referee.entries()[shown..self.public_entries(referee)] {
            course.follow(entry);
        }
        present(course)
    }

    /// Returns the number of events that `viewer` has been told.
    pub(super) fn told_count(&self, progress: &Progress, viewer: Viewer) -> usize {
        self.show(progress, viewer, |course| course.referee().map_or(0, |referee| referee.event_count(viewer)))
    }

    /// Returns the number of entries that the public may be shown: in a match with a delay, those before the last public
    /// events.
    fn public_entries(&self, referee: &Referee) -> usize {
        let delay = self.head.spectator_delay as usize;
        if delay == 0 || referee.is_over() {
            return referee.entries().len();
        }
        let shown = referee.event_count(Viewer::Public).saturating_sub(delay);
        referee.entries_before_event(Viewer::Public, shown + 1)
    }
}
