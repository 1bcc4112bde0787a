//! The commit queue of the journal: its jobs in order, and one turn, which commits the first of them, as a function of the
//! jobs, the store, and the time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use ahu_host::MatchTime;

use super::{Job, Log};
use crate::limits::{FIRST_STORE_RETRY, LAST_STORE_RETRY, MAX_COMMIT_CHANGES};
use crate::store::{Store, StoreError};

/// The commit queue of the journal: the jobs that are not carried out, in order.
#[derive(Default)]
pub(super) struct CommitQueue {
    pub(super) jobs: VecDeque<Job>,
    /// The pause before the next try; None unless the store fails.
    pub(super) pause: Option<Duration>,
}

/// The effects of a turn.
#[must_use]
pub(super) enum Turn {
    /// The store has carried out some jobs.
    Done {
        /// The logs of the changes, each with the number of its stored changes, or the reason why the store has refused the
        /// change.
        logs: Vec<(Arc<Log>, Result<u64, StoreError>)>,
        /// The logs whose matches go on.
        woken: Vec<Arc<Log>>,
        flushed: Vec<Sender<bool>>,
        /// True if the turn before this one had failed.
        has_recovered: bool,
    },
    /// The store has failed, and has carried out no job.
    Failed {
        error: StoreError,
        /// True if the turn before this one had not failed.
        is_first: bool,
        /// The time after which to try again.
        pause: Duration,
        /// The callers who wait for jobs that cannot be carried out now.
        flushed: Vec<Sender<bool>>,
    },
}

impl CommitQueue {
    /// Takes one turn at this time: carries out the first jobs in one transaction of the store. Further jobs stay in the
    /// queue.
    pub(super) fn turn(&mut self, store: &mut dyn Store, now: MatchTime) -> Turn {
        let count = self.jobs.len().min(MAX_COMMIT_CHANGES);
        let mut flushed = Vec::new();
        let refused = match write(self.jobs.range(..count), store, now) {
            Ok(refused) => refused,
            Err(error) => {
                self.jobs.retain(|job| match job {
                    Job::Flush(done) => {
                        flushed.push(done.clone());
                        false
                    }
                    Job::Write(..) | Job::Release(_) | Job::Delete(_) => true,
                });
                let is_first = self.pause.is_none();
                let pause = self.pause.map_or(FIRST_STORE_RETRY, |pause| (2 * pause).min(LAST_STORE_RETRY));
                self.pause = Some(pause);
                return Turn::Failed { error, is_first, pause, flushed };
            }
        };
        let has_recovered = self.pause.take().is_some();
        let (mut logs, mut woken, mut refused) = (Vec::with_capacity(refused.len()), Vec::new(), refused.into_iter());
        for job in self.jobs.drain(..count) {
            match job {
                Job::Write(log, write) => {
                    if write.wakes || has_recovered {
                        woken.push(Arc::clone(&log));
                    }
                    logs.push((log, refused.next().flatten().map_or(Ok(write.number), Err)));
                }
                Job::Flush(done) => flushed.push(done),
                Job::Release(_) | Job::Delete(_) => {}
            }
        }
        Turn::Done { logs, woken, flushed, has_recovered }
    }

    /// Puts a job in the queue that arrived while the store fails. Its match may have refused the answer of a bot, so it is
    /// woken to ask the bot again.
    pub(super) fn put_off(&mut self, mut job: Job) {
        if let Job::Write(_, write) = &mut job {
            write.wakes = true;
        }
        self.jobs.push_back(job);
    }
}

/// Writes all changes and commits them. Returns, for each change, the reason if the store has refused it for good. An error
/// means that the store failed and has none of the changes.
fn write<'a>(
    jobs: impl Iterator<Item = &'a Job>,
    store: &mut dyn Store,
    now: MatchTime,
) -> Result<Vec<Option<StoreError>>, StoreError> {
    let (mut writes, mut refused) = (Vec::new(), Vec::new());
    for job in jobs {
        let done = match job {
            Job::Write(_, write) => {
                let created = write.head.as_ref().map_or(Ok(()), |head| store.create(head));
                let done = created.and_then(|()| store.append(&write.change, now));
                writes.push(Arc::clone(&write.change.match_id));
                refused.push(done.clone().err());
                done
            }
            Job::Delete(match_id) => store.delete(match_id),
            Job::Release(match_id) => {
                store.release(match_id);
                Ok(())
            }
            Job::Flush(_) => Ok(()),
        };
        if let Err(error @ StoreError::Failed(_)) = done {
            return Err(error);
        }
    }
    for own in store.commit(now)? {
        let places = writes.iter().zip(&mut refused).filter(|(match_id, _)| **match_id == own.match_id);
        places.for_each(|(_, refused)| *refused = refused.take().or_else(|| Some(own.error.clone())));
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;
    use std::sync::mpsc;

    use tokio::sync::watch;

    use super::*;
    use crate::matches::journal::writer::tell;
    use crate::matches::journal::{Kept, Owner, Write};
    use crate::proto::v1::MatchState;
    use crate::store::{Change, Facts, MatchHead, OpenReader, Refused};

    /// A store in memory that fails or refuses as a test orders.
    #[derive(Debug, Default)]
    struct FakeStore {
        is_broken: bool,
        /// The match whose changes are refused for good.
        refused: Option<&'static str>,
        /// The match whose changes the commit refuses.
        refused_late: Option<&'static str>,
        pending: Vec<String>,
        committed: Vec<String>,
    }

    impl Store for FakeStore {
        fn facts(&self) -> Facts {
            Facts { token_key: [0; 32], time: MatchTime(0), last_number: 0 }
        }

        fn create(&mut self, _: &MatchHead) -> Result<(), StoreError> {
            Ok(())
        }

        fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
            if self.refused == Some(&*change.match_id) {
                return Err(StoreError::UnknownMatch(change.match_id.to_string()));
            }
            self.pending.push(format!("{}{} at {}", change.match_id, change.expected, at.0));
            Ok(())
        }

        fn commit(&mut self, _: MatchTime) -> Result<Vec<Refused>, StoreError> {
            if self.is_broken {
                self.pending.clear();
                return Err(StoreError::Failed("the disk is full".to_owned()));
            }
            self.committed.append(&mut self.pending);
            let refused = |id: &str| Refused { match_id: id.into(), error: StoreError::UnknownMatch(id.to_owned()) };
            Ok(self.refused_late.map(refused).into_iter().collect())
        }

        fn release(&mut self, match_id: &str) {
            self.pending.push(format!("release {match_id}"));
        }

        fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
            self.pending.push(format!("delete {match_id}"));
            Ok(())
        }

        fn readers(&self) -> OpenReader {
            unreachable!("a turn reads nothing")
        }
    }

    struct Nobody;

    impl Owner for Nobody {
        fn wake(&self) {}
    }

    fn log() -> Arc<Log> {
        let kept = watch::Sender::new(Ok(Kept { changes: 0, at: MatchTime(0) }));
        Arc::new(Log { kept, owner: Weak::<Nobody>::new() })
    }

    /// Returns the job to write the change with this number.
    fn write(match_id: &str, log: &Arc<Log>, number: u64) -> Job {
        let change = Change {
            match_id: match_id.into(),
            seats: Vec::new(),
            request: None,
            expected: number as usize,
            entries: Vec::new(),
            comments: Vec::new(),
            unseals: false,
            state: MatchState::Running,
            end: None,
        };
        Job::Write(Arc::clone(log), Box::new(Write { head: None, change, number, wakes: false }))
    }

    fn queue_of(jobs: impl IntoIterator<Item = Job>) -> CommitQueue {
        CommitQueue { jobs: jobs.into_iter().collect(), pause: None }
    }

    /// Returns the stored number of changes of each log, the number of woken logs, and true if the store has recovered.
    fn done(turn: Turn) -> (Vec<Result<u64, StoreError>>, usize, bool) {
        let Turn::Done { logs, woken, has_recovered, .. } = turn else { panic!("the store has failed") };
        (logs.into_iter().map(|(_, kept)| kept).collect(), woken.len(), has_recovered)
    }

    #[test]
    fn a_store_that_fails_gets_the_same_jobs_again_after_longer_and_longer_pauses() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let mut queue = queue_of([write("a", &log, 1), Job::Release("b".into()), write("a", &log, 2)]);
        let mut pauses = Vec::new();
        for try_number in 0..6 {
            let turn = queue.turn(&mut store, MatchTime(7));
            let Turn::Failed { is_first, pause, .. } = turn else { panic!("the store is broken") };
            assert_eq!(is_first, try_number == 0);
            assert!(store.committed.is_empty() && queue.jobs.len() == 3);
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses, [250, 500, 1_000, 2_000, 4_000, 4_000]);

        store.is_broken = false;
        // Nobody waited for the changes, but the match may have refused a bot meanwhile.
        assert_eq!(done(queue.turn(&mut store, MatchTime(8))), (vec![Ok(1), Ok(2)], 2, true));
        assert_eq!(store.committed, ["a1 at 8", "release b", "a2 at 8"]);
        assert_eq!(done(queue.turn(&mut store, MatchTime(9))), (Vec::new(), 0, false));
    }

    #[test]
    fn whoever_flushes_is_told_that_the_store_fails_and_does_not_wait() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let (flushed, is_flushed) = mpsc::channel();
        let mut queue = queue_of([write("a", &log, 1), Job::Flush(flushed.clone())]);
        let Turn::Failed { flushed: told, .. } = queue.turn(&mut store, MatchTime(0)) else { panic!("it is broken") };
        tell(told, false);
        assert_eq!(is_flushed.try_recv(), Ok(false));

        store.is_broken = false;
        queue.put_off(Job::Flush(flushed));
        let Turn::Done { flushed: told, .. } = queue.turn(&mut store, MatchTime(0)) else { panic!("it works") };
        assert_eq!((told.len(), store.committed.len()), (1, 1));
        assert!(is_flushed.try_recv().is_err(), "the first flush is answered once");
    }

    #[test]
    fn a_change_that_the_store_refuses_sets_its_match_aside_alone() {
        let (logs, mut store) = ([log(), log()], FakeStore { refused: Some("a"), ..FakeStore::default() });
        let mut queue = queue_of([write("a", &logs[0], 1), write("b", &logs[1], 1), Job::Delete("c".into())]);
        let refused = StoreError::UnknownMatch("a".to_owned());
        assert_eq!(done(queue.turn(&mut store, MatchTime(3))).0, [Err(refused.clone()), Ok(1)]);
        assert_eq!(store.committed, ["b1 at 3", "delete c"]);

        // A commit may find that another writer has changed a match: all its changes are refused.
        let mut store = FakeStore { refused_late: Some("b"), ..FakeStore::default() };
        let mut queue = queue_of([write("b", &logs[1], 1), write("a", &logs[0], 1), write("b", &logs[1], 2)]);
        let late = || Err(StoreError::UnknownMatch("b".to_owned()));
        assert_eq!(done(queue.turn(&mut store, MatchTime(4))).0, [late(), Ok(1), late()]);

        logs[0].note(Err(refused.clone()));
        logs[0].note(Ok(Kept { changes: 2, at: MatchTime(4) }));
        assert_eq!(*logs[0].kept.borrow(), Err(refused), "a refused match stays so");
    }

    #[test]
    fn the_jobs_beyond_a_commit_wait_for_the_next_one_and_keep_their_order() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let count = MAX_COMMIT_CHANGES as u64;
        let mut queue = queue_of((1..=count).map(|number| write("a", &log, number)));
        let Turn::Failed { .. } = queue.turn(&mut store, MatchTime(0)) else { panic!("it is broken") };
        queue.put_off(write("a", &log, count + 1));
        store.is_broken = false;

        let (kept, woken, has_recovered) = done(queue.turn(&mut store, MatchTime(0)));
        assert_eq!(
            (kept.len(), woken, has_recovered, queue.jobs.len()),
            (MAX_COMMIT_CHANGES, MAX_COMMIT_CHANGES, true, 1)
        );
        // It arrived while the store failed, so its match is told too.
        assert_eq!(done(queue.turn(&mut store, MatchTime(0))), (vec![Ok(count + 1)], 1, false));
        assert_eq!(store.committed.last().map(String::as_str), Some(&*format!("a{} at 0", count + 1)));
    }
}
