//! The view: the knowledge of a viewer, the shown part of it, and the resampling of games that the viewer could be in.

use ahu_core::{BySeat, Seat, Viewer, ranks_by};
use borsh::{BorshDeserialize, BorshSerialize};
use rand::{Rng, RngExt};

use super::cards::{Food, Foods, KindCounts, MOAI};
use super::final_scoring::{cards_points, worth};
use super::{Phase, RapanuiCards, Table};

/// Everything that one viewer knows of a game.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The public part of the state.
    pub table: Table,
    /// The known foods of the face-down cards on the stone, in the order in which they were laid: a player knows its
    /// own, and after the end everybody knows all.
    pub known: [Option<Food>; MOAI],
}

impl View {
    #[inline]
    pub(super) fn of(game: &RapanuiCards, viewer: Viewer) -> Self {
        let mut known = [None; MOAI];
        for (place, hidden) in game.table.stone.cards_face_down().iter().enumerate() {
            if viewer.is(hidden.seat) || game.table.phase == Phase::Over {
                known[place] = Some(game.hidden[place]);
            }
        }
        Self { viewer, table: game.table, known }
    }

    /// Returns the viewer's hand; empty for the public.
    pub fn hand(&self) -> KindCounts {
        self.of_viewer(KindCounts::EMPTY, |seat| self.table.villages[seat].hand)
    }

    /// Returns the sacrifice cards that the viewer has; none for the public.
    pub fn own_cards(&self) -> Foods {
        self.of_viewer(Foods::EMPTY, |seat| self.cards(seat))
    }

    /// Returns the sacrifice cards that the viewer laid on the stone face down; none for the public.
    pub fn own_hidden(&self) -> Foods {
        self.of_viewer(Foods::EMPTY, |seat| self.hidden_by(seat))
    }

    fn of_viewer<T>(&self, none: T, of: impl Fn(Seat) -> T) -> T {
        match self.viewer {
            Viewer::Seat(seat) => of(seat),
            Viewer::Public => none,
        }
    }

    /// Returns the sacrifice cards of a player; None if the viewer does not know them. It knows its own, and after
    /// the end all.
    pub fn cards_of(&self, seat: Seat) -> Option<Foods> {
        (self.viewer.is(seat) || self.table.phase == Phase::Over).then(|| self.cards(seat))
    }

    /// Returns the sacrifice cards of a player, if the viewer knows all face-down cards of that player.
    pub(super) fn cards(&self, seat: Seat) -> Foods {
        self.table.villages[seat].accounted - self.hidden_by(seat)
    }

    /// Returns the known cards among the cards that a player laid on the stone face down.
    pub fn hidden_by(&self, seat: Seat) -> Foods {
        self.table.stone.hidden_by(seat).filter_map(|place| self.known[place]).collect()
    }

    /// Returns all cards on the stone after the end, when everybody knows them; None before.
    pub fn sacrificed(&self) -> Option<Foods> {
        let hidden = || self.known.iter().flatten().copied().collect::<Foods>();
        (self.table.phase == Phase::Over).then(|| self.table.stone.open + hidden())
    }

    /// Returns true if observations show the number of face-up cards of each food on the stone (D3).
    pub fn shows_stone(&self) -> bool {
        self.table.shows_stone()
    }

    /// Returns the glory points of a player. Sacrifice cards count after the end; before, nobody knows their worth.
    pub fn points(&self, seat: Seat) -> u16 {
        let open = self.table.villages[seat].open_points();
        let zero_count = self.table.options.zero_count_types;
        self.sacrificed().map_or(open, |stone| open + cards_points(self.cards(seat), worth(stone, zero_count)))
    }

    /// Returns a game that the viewer could be in: each face-down card is a card that its player could have laid.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> RapanuiCards {
        let mut hidden = [Food::Fish; MOAI];
        let mut laid = BySeat::new(self.table.options.seats, Foods::EMPTY);
        for (place, card) in self.table.stone.cards_face_down().iter().enumerate() {
            let possible = card.at_most_so_far - laid[card.seat];
            hidden[place] = self.known[place].unwrap_or_else(|| {
                let any = rng.random_range(0..possible.total());
                possible.nth(any.into()).expect("its player had a card to lay")
            });
            laid[card.seat][hidden[place]] += 1;
        }
        RapanuiCards { table: self.table, hidden }
    }

    /// Returns the bit of `seat`, own seat first.
    #[inline]
    pub(super) fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.table.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

impl ahu_core::View for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// Removes the other hands (A21) and, before the end, the foods of other players' sacrifice cards. Shows the
    /// stone as the edition does (D3).
    fn shown(mut self) -> Self {
        let is_over = self.table.phase == Phase::Over;
        for seat in self.table.options.seats.iter().filter(|&seat| !self.viewer.is(seat)) {
            let village = &mut self.table.villages[seat];
            village.hand = KindCounts::EMPTY;
            if !is_over {
                village.accounted = Foods::EMPTY;
            }
        }
        if !self.shows_stone() {
            self.table.stone.open = Foods::EMPTY;
        }
        self.table.stone.forget_what_could_be();
        self
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(self.table.options.seats, |seat| self.points(seat).into())
    }

    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        let villages = &self.table.villages;
        let cards = BySeat::from_fn(villages.seats(), |seat| self.points(seat) - villages[seat].open_points());
        vec![
            ("glory", villages.map(|village| village.glory.into())),
            ("Moai", villages.map(|village| village.moai_points().into())),
            ("wood", villages.map(|village| village.wood_points().into())),
            ("sacrifice cards", cards.map(i32::from)),
        ]
    }

    /// Returns the ranks by the tie-breaks of A18.
    fn ranks(&self) -> BySeat<u8> {
        let standing = |seat| self.table.villages[seat].standing(self.points(seat));
        ranks_by(&BySeat::from_fn(self.table.options.seats, standing))
    }

    fn tie_break(&self, before: Seat, after: Seat) -> &'static str {
        let moai = |seat: Seat| self.table.villages[seat].moai();
        if moai(before) > moai(after) { "more Moai" } else { "more wood" }
    }

    fn uncounted(&self) -> Option<&'static str> {
        self.sacrificed().is_none().then_some("sacrifice cards")
    }
}
