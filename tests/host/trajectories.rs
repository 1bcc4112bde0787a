//! Trajectories: the decisions of seats in a record. `agents/python/tests/test_records.py` compares them with environments.

use ahu_core::Seed;
use ahu_host::{Entry, GAMES, Position, RecordError, RewardRule, trajectories};

#[test]
fn a_trajectory_has_a_row_for_each_decision_and_the_return_at_the_end() {
    for rules in GAMES {
        let setup = rules.configure(*rules.seats().start(), &[]).expect("the fewest seats");
        let mut position = Position::new(setup.clone(), Some(Seed(3)), true);
        let mut taken = vec![Vec::new(); setup.seats().count()];
        while let Some(seat) = position.game().turn().to_act().first() {
            let id = position.game().legal_actions(seat).nth(0).expect("an action is legal");
            taken[seat.index()].push(id);
            position.play(seat, id).expect("it is legal");
        }
        let record = position.record().expect("it has a seed and a history");
        let (bits, numbers) = rules.observation_size();
        for rule in RewardRule::ALL {
            let found = trajectories(&record, rule).expect("the record is genuine");
            let returns =
                rule.returns(&record.result.expect("it is over").scores, &record.result.expect("it is over").ranks);
            for own in found {
                assert_eq!(own.actions, taken[own.seat.index()]);
                let rows = own.actions.len();
                assert_eq!(own.bits.len(), rows * bits.div_ceil(64));
                assert_eq!(own.numbers.len(), rows * numbers);
                assert_eq!(own.masks.len(), rows * rules.action_count().div_ceil(64));
                let sum: f32 = own.rewards.iter().sum();
                assert!((sum - returns[own.seat]).abs() < 1e-3, "{rule} sums to {sum}, not to {}", returns[own.seat]);
            }
        }
        // A record with an entry that does not follow is refused.
        let mut forged = record.clone();
        let last = forged.entries.iter_mut().rev().find(|entry| matches!(entry, Entry::Action { .. }));
        let Some(Entry::Action { id, .. }) = last else { panic!("a game has actions") };
        id.0 = u16::MAX;
        let refused = trajectories(&forged, RewardRule::Rank).expect_err("no action has this id");
        assert!(matches!(refused, RecordError::Impossible { .. }), "{refused}");
    }
}
