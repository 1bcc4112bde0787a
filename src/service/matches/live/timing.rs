//! The time of a hosted match: when clocks start, and when the timer looks at them.

use std::sync::Weak;

use super::LiveMatch;
use crate::service::matches::deadlines;
use crate::service::matches::progress::Progress;
use crate::service::matches::timer::Timed;
use ahu_engine::host::MatchTime;

impl LiveMatch {
    /// Starts the clocks of the decisions that may be shown: those behind kept changes. Without a store, all of them.
    pub(super) fn start_clocks(&self, progress: &mut Progress) {
        let changes = progress.changes;
        let Some(referee) = progress.referee_mut() else { return };
        let available = match &self.log {
            None => Some(self.now()),
            Some(log) => log.kept_at(changes).map(|kept| kept.max(self.changed_at())),
        };
        if let Some(available) = available {
            referee.set_time(available);
            referee.start_clocks();
        }
    }

    /// Asks the timer to look at the next deadline. An earlier entry stays, and then looks again.
    pub(super) fn set_timer(&self, progress: &mut Progress) {
        let now = self.now();
        // An entry that fired comes back later, whatever the deadline.
        let next = deadlines::next(progress, &self.presence, now).map(|next| next.max(MatchTime(now.0 + 1)));
        if let Some(next) = next.filter(|&next| progress.timer_entry.is_none_or(|entry| next < entry)) {
            self.move_timer_entry(progress, Some(next));
        }
    }

    pub(super) fn move_timer_entry(&self, progress: &mut Progress, to: Option<MatchTime>) {
        let from = progress.timer_entry;
        if from != to {
            progress.timer_entry = to;
            self.context.timer.schedule(self.head.number, from, to, || Weak::<Self>::clone(&self.me));
        }
    }
}

impl Timed for LiveMatch {
    fn time_out(&self, entry: MatchTime) {
        let now = self.now();
        let mut progress = self.lock();
        // Another entry may have come instead of the one that fired.
        if progress.timer_entry == Some(entry) {
            progress.timer_entry = None;
        }
        drop(progress);
        // A match that was dropped has no deadlines, and a suspended one has them when it goes on.
        let _ = self.transact(now, |progress| {
            deadlines::expire(progress, &self.presence, now);
            Ok(())
        });
    }
}
