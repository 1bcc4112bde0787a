//! Trajectories: the decisions of each seat in a record, as the seat was shown them.

use ahu_core::{ActionId, BySeat, Seat, Viewer};

use super::{DecidedBy, Entry, Record, RecordError, Replay, RewardRule};

/// The decisions of one seat, in order. Those of a stand-in are not among them.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// The seat.
    pub seat: Seat,
    /// The bits of each observation, in whole words.
    pub bits: Vec<u64>,
    /// The numbers of each observation.
    pub numbers: Vec<i16>,
    /// The legal actions of each decision, in whole words.
    pub masks: Vec<u64>,
    /// The actions.
    pub actions: Vec<ActionId>,
    /// The rewards that came after each action and before the next decision; the last has what came with the end. Without a
    /// result, none come with the end.
    pub rewards: Vec<f32>,
}

/// Returns the trajectory of each seat in a record. Each entry has to follow from those before it, and the end from all.
pub fn trajectories(record: &Record, rule: RewardRule) -> Result<Vec<Trajectory>, RecordError> {
    let (seats, (bit_count, number_count)) = (record.setup.seats(), record.setup.rules().observation_size());
    let new = |seat| Trajectory { seat, ..Trajectory::default() };
    let mut trajectories: Vec<Trajectory> = seats.iter().map(new).collect();
    let mut paid = BySeat::new(seats, 0);
    let mut replay = Replay::new(record);
    for entry in &record.entries {
        if let Entry::Action { seat, id, by: DecidedBy::Player, .. } = *entry {
            let (view, own) = (replay.referee().view(Viewer::Seat(seat)), &mut trajectories[seat.index()]);
            if rule == RewardRule::MarginGain {
                let gain = RewardRule::gain(&view.scores(), seat, &mut paid);
                own.pay(gain);
            }
            let (bits, numbers) = (own.bits.len(), own.numbers.len());
            own.bits.resize(bits + bit_count.div_ceil(64), 0);
            own.numbers.resize(numbers + number_count, 0);
            view.write(&mut own.bits[bits..], &mut own.numbers[numbers..]);
            own.masks.extend(replay.referee().legal_actions(seat).words());
            own.actions.push(id);
            own.rewards.push(0.0);
        }
        replay.step().expect("the replay has as many entries")?;
    }
    replay.finish()?;
    if let Some(result) = &record.result {
        let returns = rule.returns(&result.scores, &result.ranks);
        for own in &mut trajectories {
            own.pay(match rule {
                RewardRule::MarginGain => RewardRule::gain(&result.scores, own.seat, &mut paid),
                RewardRule::Rank | RewardRule::Margin | RewardRule::Points => returns[own.seat],
            });
        }
    }
    Ok(trajectories)
}

impl Trajectory {
    /// Adds a reward to the reward of the last action. A reward before the first action belongs to no action.
    fn pay(&mut self, reward: f32) {
        if let Some(last) = self.rewards.last_mut() {
            *last += reward;
        }
    }
}
