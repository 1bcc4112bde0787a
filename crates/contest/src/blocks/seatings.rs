//! Seatings: the player of each seat, in each game of a block.

use ahu_core::{BySeat, Seats, named};

/// The player of each seat, by number.
pub type Seating = BySeat<usize>;

named! {
    /// A rule that names the seatings of a block.
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Design("design") {
        /// The rotations of the table: every player has every seat equally often.
        Cyclic = "cyclic",
        /// Every player has every seat equally often, and every ordered pair of players sits in every ordered pair of seats
        /// equally often. So everybody plays directly before everybody else equally often. This is the default.
        #[default]
        Neighbour = "neighbour",
    }
}

impl Design {
    /// Returns the seatings of a block of as many different players as seats. The first has player i in seat i.
    ///
    /// Neighbour blocks are the elements of a group that is 2-transitive on the seats: for any two ordered pairs of
    /// seats, equally many elements take the first to the second. For 2 to 5 seats one element does (the group is
    /// *sharply* 2-transitive), so no block with this balance has fewer games: S2, S3, A4, and AGL(1,5) with 2, 6, 12,
    /// and 20 seatings. For 6 seats there is no such group, since 6 is not the power of a prime. PSL(2,5) on the six
    /// points of the projective line has 60 elements, and two of them for any two pairs.
    pub fn seatings(self, seats: Seats) -> Vec<Seating> {
        let count = seats.count();
        let rotation = |place: usize| (place + 1) % count;
        let generators = match (self, count) {
            (Self::Cyclic, _) | (Self::Neighbour, 1 | 2) => vec![permutation(seats, rotation)],
            // S3: a rotation, and an exchange of two.
            (Self::Neighbour, 3) => vec![permutation(seats, rotation), permutation(seats, |x| [1, 0, 2][x])],
            // A4: two rotations of three.
            (Self::Neighbour, 4) => {
                vec![permutation(seats, |x| [1, 2, 0, 3][x]), permutation(seats, |x| [0, 2, 3, 1][x])]
            }
            // AGL(1,5): x + 1 and 2 x, modulo 5.
            (Self::Neighbour, 5) => vec![permutation(seats, rotation), permutation(seats, |x| 2 * x % 5)],
            // PSL(2,5): x + 1 and -1 / x, modulo 5. The sixth point is infinity. The inverse of x is x^3.
            (Self::Neighbour, _) => {
                const INFINITY: usize = 5;
                let shift = |x| if x == INFINITY { INFINITY } else { (x + 1) % 5 };
                let negative_inverse = |x: usize| match x {
                    INFINITY => 0,
                    0 => INFINITY,
                    _ => (5 - x.pow(3) % 5) % 5,
                };
                vec![permutation(seats, shift), permutation(seats, negative_inverse)]
            }
        };
        group(seats, &generators)
    }
}

fn permutation(seats: Seats, of: impl Fn(usize) -> usize) -> Seating {
    BySeat::from_fn(seats, |seat| of(seat.index()))
}

/// Returns all permutations that follow from the generators, beginning with the permutation that moves nothing.
fn group(seats: Seats, generators: &[Seating]) -> Vec<Seating> {
    let mut found = vec![permutation(seats, |place| place)];
    let mut next = 0;
    while next < found.len() {
        for generator in generators {
            let element = generator.map(|place| found[next][seats.get(place).expect("a permutation of the seats")]);
            if !found.contains(&element) {
                found.push(element);
            }
        }
        next += 1;
    }
    found
}

/// The players of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineup {
    /// The seats of the table.
    pub seats: Seats,
    /// The player of each seat in the first seating.
    places: Vec<usize>,
}

impl Lineup {
    /// Returns the line-up in which the last agent fills the seats that are left.
    pub fn filled(agents: usize, seats: Seats) -> Result<Self, String> {
        Self::new(agents, agents.saturating_sub(1), seats, seats.count(), "")
    }

    /// Returns the line-up in which a field player fills the seats that are left. It is the player after the agents.
    pub fn with_field(agents: usize, seats: Seats) -> Result<Self, String> {
        Self::new(agents, agents, seats, seats.count() - 1, " beside the field player")
    }

    fn new(agents: usize, last: usize, seats: Seats, most: usize, beside: &'static str) -> Result<Self, String> {
        match (1..=most).contains(&agents) {
            true => Ok(Self { seats, places: (0..seats.count()).map(|place| place.min(last)).collect() }),
            false => Err(format!("expected 1 to {most} agents{beside} for {seats} seats, got {agents}")),
        }
    }

    /// Returns the number of players, the field player included.
    pub fn players(&self) -> usize {
        self.places.last().map_or(0, |last| last + 1)
    }

    /// Returns the number of seats that a player takes in each game.
    pub fn seats_of(&self, player: usize) -> usize {
        self.places.iter().filter(|&&other| other == player).count()
    }

    /// Returns the seatings of a block. If a player takes several seats, seatings of the design become equal; each of
    /// them counts once. All of them are equally many, since they are the cosets of a subgroup, so that the balance
    /// stays: two players at four seats have blocks of 4 games instead of 12.
    pub fn seatings(&self, design: Design) -> Vec<Seating> {
        let mut found = Vec::new();
        for seating in design.seatings(self.seats) {
            let seating = seating.map(|place| self.places[place]);
            if !found.contains(&seating) {
                found.push(seating);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(count: usize) -> Seats {
        Seats::new(count).expect("a table")
    }

    /// Counts in how many seatings a condition holds.
    fn times(seatings: &[Seating], condition: impl Fn(&Seating) -> bool) -> usize {
        seatings.iter().filter(|seating| condition(seating)).count()
    }

    #[test]
    fn neighbour_blocks_have_2_6_12_20_60_seatings() {
        let sizes = |design: Design| [2, 3, 4, 5, 6].map(|count| design.seatings(seats(count)).len());

        assert_eq!(sizes(Design::Neighbour), [2, 6, 12, 20, 60]);
        assert_eq!(sizes(Design::Cyclic), [2, 3, 4, 5, 6]);
        assert_eq!(Design::Neighbour.seatings(seats(1)).len(), 1);
    }

    #[test]
    fn every_player_has_every_seat_equally_often() {
        for (count, design) in (1..=6).flat_map(|count| Design::ALL.map(|design| (count, design))) {
            let seatings = design.seatings(seats(count));
            for (player, seat) in (0..count).flat_map(|player| seats(count).iter().map(move |seat| (player, seat))) {
                let had = times(&seatings, |seating| seating[seat] == player);
                assert_eq!(had * count, seatings.len(), "{design}: player {player} in {seat} of {count}");
            }
        }
    }

    /// Counts ordered neighbours, and more: each ordered pair of players in each ordered pair of seats.
    #[test]
    fn in_a_neighbour_block_every_ordered_pair_has_every_ordered_pair_of_seats_equally_often() {
        for count in 2..=6 {
            let table = seats(count);
            let seatings = Design::Neighbour.seatings(table);
            for (one, other) in (0..count).flat_map(|one| (0..count).map(move |other| (one, other))) {
                if one == other {
                    continue;
                }
                let before = |seating: &Seating| {
                    table
                        .iter()
                        .filter(|&seat| seating[seat] == one && seating[table.left_of(seat, 1)] == other)
                        .count()
                };
                let neighbours: usize = seatings.iter().map(before).sum();
                assert_eq!(neighbours * (count - 1), seatings.len(), "{one} before {other} of {count}");
                for (seat, left) in table.iter().flat_map(|seat| table.others(seat).map(move |left| (seat, left))) {
                    let had = times(&seatings, |seating| seating[seat] == one && seating[left] == other);
                    assert_eq!(had * count * (count - 1), seatings.len(), "{one}, {other} in {seat}, {left}");
                }
            }
        }
    }

    #[test]
    fn a_player_of_several_seats_keeps_the_balance_with_fewer_games() {
        for count in 2..=6 {
            let table = seats(count);
            let filled = (1..=count).map(|agents| Lineup::filled(agents, table));
            let with_field = (1..count).map(|agents| Lineup::with_field(agents, table));
            for lineup in filled.chain(with_field).map(|lineup| lineup.expect("it fits")) {
                let seatings = lineup.seatings(Design::Neighbour);
                for player in 0..lineup.players() {
                    for seat in table.iter() {
                        let had = times(&seatings, |seating| seating[seat] == player);
                        assert_eq!(had * count, seatings.len() * lineup.seats_of(player), "{lineup:?}: {player}");
                    }
                    for (other, seat) in (0..player).flat_map(|other| table.iter().map(move |seat| (other, seat))) {
                        let had = times(&seatings, |seating| {
                            seating[seat] == player && seating[table.left_of(seat, 1)] == other
                        });
                        let pairs = lineup.seats_of(player) * lineup.seats_of(other);
                        assert_eq!(had * count * (count - 1), seatings.len() * pairs, "{player} before {other}");
                    }
                }
            }
        }
        let duel = Lineup::filled(2, seats(4)).expect("it fits");
        assert_eq!(duel.seatings(Design::Neighbour).len(), 4);
    }

    #[test]
    fn a_line_up_that_does_not_fit_is_refused() {
        let refused = |lineup: Result<Lineup, String>| lineup.expect_err("refused");

        assert_eq!(refused(Lineup::filled(3, seats(2))), "expected 1 to 2 agents for 2 seats, got 3");
        assert_eq!(refused(Lineup::filled(0, seats(2))), "expected 1 to 2 agents for 2 seats, got 0");
        let message = "expected 1 to 3 agents beside the field player for 4 seats, got 4";
        assert_eq!(refused(Lineup::with_field(4, seats(4))), message);
        let error = "cyclc".parse::<Design>().expect_err("no design").message;
        assert_eq!(error, "unknown design \"cyclc\"; did you mean \"cyclic\"? (expected one of cyclic, neighbour)");
    }
}
