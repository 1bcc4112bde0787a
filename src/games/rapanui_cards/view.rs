//! The view, its observation, and the resampling of games that the viewer could be in.

use rand::{Rng, RngExt};

use super::action::Column;
use super::cards::{Card, Counts, Food, Foods, Kind, KindCounts, MOAI};
use super::chance_outcome::DEPTH;
use super::draw::Pile;
use super::final_scoring::{cards_points, worth};
use super::options::{DepletedPick, DisplayView, Options, StoneView, SupplySacrifice, ZeroCount};
use super::sacrifice::Top;
use super::{Phase, RapanuiCards, Table};
use crate::core::{self, BySeat, Field, Seat, Sink, Viewer, ranks_by};

/// Everything that one viewer knows of a game.
#[derive(Clone, Debug, PartialEq)]
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
        Self { viewer, table: game.table.clone(), known }
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

    /// Returns the known cards among those that a player laid on the stone face down.
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
        self.table.options.stone_view == StoneView::AllFaceUp || self.table.phase == Phase::Over
    }

    /// Returns the glory points of a player. Sacrifice cards count after the end; before, nobody knows their worth.
    pub fn points(&self, seat: Seat) -> u16 {
        let open = self.table.villages[seat].open_points();
        let zero_count = self.table.options.zero_count_types;
        self.sacrificed().map_or(open, |stone| open + cards_points(self.cards(seat), worth(stone, zero_count)))
    }

    /// Returns a game that the viewer could be in: each face-down card is one that its player could have laid.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> RapanuiCards {
        let mut hidden = [Food::default(); MOAI];
        let mut laid = BySeat::new(self.table.options.seats, Foods::EMPTY);
        for (place, card) in self.table.stone.cards_face_down().iter().enumerate() {
            let possible = card.at_most_so_far - laid[card.seat];
            hidden[place] = self.known[place].unwrap_or_else(|| {
                let any = rng.random_range(0..possible.total());
                possible.nth(any.into()).expect("its player had a card to lay")
            });
            laid[card.seat][hidden[place]] += 1;
        }
        RapanuiCards { table: self.table.clone(), hidden }
    }

    /// Returns the bit of `seat`, own seat first.
    #[inline]
    fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.table.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

/// The fields of the observation.
mod fields {
    use super::{Column, DEPTH, Field, Food, Kind};

    /// The number of seats of the largest table.
    pub(super) const SEATS: usize = 4;
    /// The most Hunters & Gatherers of a food that one player can have: those of the deck and a start card.
    pub(super) const GATHERERS: usize = 6;
    /// The most lumberjacks that one player can have: those of the deck and a start card.
    pub(super) const LUMBERJACKS: usize = 13;
    /// The most priests and the most Moai that one player can have.
    pub(super) const NINE: usize = 9;
    /// The most turns: each turn draws a card, and no game draws more than 45.
    const TURNS: i16 = 45;
    /// The most wood. At most 44 turns are scored, and a scoring brings a player at most 14 wood, or 10 glory points.
    const MOST_WOOD: i16 = 5 + 44 * 14;
    const MOST_GLORY: i16 = 44 * 10;
    /// The most glory points: with 9 Moai, all the wood, and all 100 sacrifice cards.
    const MOST_POINTS: i16 = MOST_GLORY + 9 * 4 + MOST_WOOD / 5 + 100 * 3;

    pub(super) const OPTIONS: Field = Field::flags(
        "options",
        &[5],
        "stone_view=all_face_up, display_view=front, moai_supply_sacrifice=optional, depleted_pick=may_decline, \
         zero_count_types=worth_0",
    )
    .values(&[
        "stone_view=all_face_up",
        "display_view=front",
        "moai_supply_sacrifice=optional",
        "depleted_pick=may_decline",
        "zero_count_types=worth_0",
    ]);
    pub(super) const PRESENT: Field = Field::flags("present", &[SEATS], "the seat is taken in this game").by_seat();
    pub(super) const ACTIVE: Field =
        Field::one_hot("active", &[SEATS], "the player whose turn it is; none before the starting player is known")
            .by_seat();
    pub(super) const OWING: Field = Field::one_hot("to_act", &[SEATS], "the player who decides now").by_seat();
    pub(super) const PHASE: Field = Field::one_hot(
        "phase",
        &[7],
        "Buy, Play, Sacrifice, Supply, Draw, Payout, Substitute; none of them while chance is due or at the end",
    )
    .values(&["buy", "play", "sacrifice", "supply", "draw", "payout", "substitute"]);
    pub(super) const SCORED: Field = Field::one_hot(
        "scored",
        &[Kind::COUNT],
        "the kind that is being scored: Hunters & Gatherers of fish, mulberry, sweet_potato, grain, lumberjacks, priests, Moai",
    )
    .values(Kind::NAMES);
    pub(super) const HAND: Field =
        Field::thermometer("hand", &[Kind::COUNT, 3], "cards in own hand, by kind as in scored")
            .values_along(0, Kind::NAMES);
    pub(super) const COLUMNS: Field = Field::one_hot(
        "columns",
        &[Column::COUNT, DEPTH, Kind::COUNT],
        "the cards of each column, the front one first, by kind as in scored; none if the card is not visible",
    )
    .values(Kind::NAMES);
    pub(super) const DEPTHS: Field =
        Field::thermometer("depths", &[Column::COUNT, DEPTH], "the number of cards in each column");
    pub(super) const TOP: Field = Field::one_hot(
        "top",
        &[Food::COUNT + 1],
        "the card on top of the stone: fish, mulberry, sweet_potato, grain, face down; none if the stone is empty",
    )
    .values(&["fish", "mulberry", "sweet_potato", "grain", "face_down"]);
    pub(super) const GATHERER: Field = Field::thermometer(
        "gatherers",
        &[SEATS, Food::COUNT, GATHERERS],
        "Hunters & Gatherers in the display of each seat, by food",
    )
    .by_seat()
    .values_along(1, Food::NAMES);
    pub(super) const LUMBERJACK: Field =
        Field::thermometer("lumberjacks", &[SEATS, LUMBERJACKS], "lumberjacks in the display of each seat").by_seat();
    pub(super) const PRIEST: Field =
        Field::thermometer("priests", &[SEATS, NINE], "priests in the display of each seat").by_seat();
    pub(super) const MOAI: Field =
        Field::thermometer("moai", &[SEATS, NINE], "Moai in the display of each seat").by_seat();
    pub(super) const BONUS: Field = Field::flags(
        "bonus",
        &[SEATS, Kind::COUNT],
        "the seat has at least two cards and the sole majority, by kind as in scored",
    )
    .by_seat()
    .values(Kind::NAMES);

    pub(super) const WOOD: Field = Field::numbers("wood", &[SEATS], (0, MOST_WOOD), "wood of each seat").by_seat();
    pub(super) const GLORY: Field =
        Field::numbers("glory", &[SEATS], (0, MOST_GLORY), "glory points of each seat in tiles").by_seat();
    pub(super) const POINTS: Field = Field::numbers(
        "points",
        &[SEATS],
        (0, MOST_POINTS),
        "glory points of each seat in tiles, Moai and wood, and, after the end, in sacrifice cards",
    )
    .by_seat();
    pub(super) const HELD: Field =
        Field::numbers("sacrifice_cards", &[SEATS], (0, 100), "the number of sacrifice cards of each seat").by_seat();
    pub(super) const HIDDEN: Field = Field::numbers(
        "hidden",
        &[SEATS],
        (0, 9),
        "the number of sacrifice cards that each seat laid on the stone face down",
    )
    .by_seat();
    pub(super) const OWN_CARDS: Field =
        Field::numbers("own_cards", &[Food::COUNT], (0, 25), "own sacrifice cards, by food").values(Food::NAMES);
    pub(super) const OWN_HIDDEN: Field = Field::numbers(
        "own_hidden",
        &[Food::COUNT],
        (0, 9),
        "sacrifice cards that the own seat laid on the stone face down, by food",
    )
    .values(Food::NAMES);
    pub(super) const PRICE: Field = Field::numbers(
        "price",
        &[Food::COUNT],
        (0, 5),
        "the price of a sacrifice card for the own seat, by food, in wood",
    )
    .values(Food::NAMES);
    pub(super) const STOCK: Field =
        Field::numbers("stock", &[Food::COUNT], (0, 25), "sacrifice cards in the supply, by food").values(Food::NAMES);
    pub(super) const STONE: Field = Field::numbers(
        "stone",
        &[Food::COUNT],
        (0, 25),
        "face-up cards on the stone, by food, with stone_view=all_face_up, else 0; after the end all cards on the stone",
    ).values(Food::NAMES);
    pub(super) const UNSEEN: Field =
        Field::numbers("unseen", &[Kind::COUNT], (0, 12), "cards that no player has seen, by kind as in scored")
            .values(Kind::NAMES);
    pub(super) const STACK: Field = Field::numbers("stack", &[], (0, 50), "cards in the stack");
    pub(super) const BOXED: Field = Field::numbers("boxed", &[], (0, 9), "Moai that were put out of the game");
    pub(super) const DUE: Field =
        Field::numbers("due", &[], (0, 2), "the number of substitutes that the player who decides now still gets");
    pub(super) const TURN: Field = Field::numbers("turn", &[], (0, TURNS), "the number of this turn in the game");
}

const _: () = assert!(
    <View as core::View>::BITS <= 1024 && <View as core::View>::NUMBERS <= 64,
    "at most 1024 bits and 64 numbers for a card game"
);

/// Returns `count` bits from the lowest.
#[inline]
const fn thermometer(count: u8) -> u64 {
    (1 << count) - 1
}

/// Returns a thermometer of `width` bits for each of `N` sorts, one after the other.
#[inline]
fn thermometers<const N: usize, C: Card>(counts: Counts<C>, width: usize) -> u64 {
    (0..N).fold(0, |bits, sort| bits | thermometer(counts.as_slice()[sort]) << (sort * width))
}

/// Returns the cards of a column as one-hots, the front one first.
#[inline]
fn one_hots(pile: Pile) -> u64 {
    let bit = |kind: Option<Kind>| kind.map_or(0, |kind| 1 << kind.index());
    (0..DEPTH).fold(0, |bits, place| bits | bit(pile.cards[place]) << (place * Kind::COUNT))
}

/// Returns the counts as numbers.
#[inline]
fn numbers<C: Card, const N: usize>(counts: Counts<C>) -> [i16; N] {
    std::array::from_fn(|sort| counts.as_slice()[sort].into())
}

impl core::View for View {
    const BITS: usize = 433;
    const NUMBERS: usize = 51;

    fn viewer(&self) -> Viewer {
        self.viewer
    }

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        let Table { options, phase, active, turn, villages, columns, stack, unseen, boxed, stock, stone } = &self.table;
        let Options { seats, stone_view, display_view, moai_supply_sacrifice, depleted_pick, zero_count_types, .. } =
            *options;
        let flags = [
            stone_view == StoneView::AllFaceUp,
            display_view == DisplayView::Front,
            moai_supply_sacrifice == SupplySacrifice::Optional,
            depleted_pick == DepletedPick::MayDecline,
            zero_count_types == ZeroCount::WorthZero,
        ];
        let (decision, due) = match *phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) | Phase::Over => (0, 0),
            Phase::Buy => (1, 0),
            Phase::Play => (1 << 1, 0),
            Phase::Sacrifice(_) => (1 << 2, 0),
            Phase::Supply => (1 << 3, 0),
            Phase::Draw => (1 << 4, 0),
            Phase::Payout(_) => (1 << 5, 0),
            Phase::Substitute { due, .. } => (1 << 6, due),
        };
        sink.bits(fields::OPTIONS, &[flags.iter().enumerate().fold(0, |bits, (n, &on)| bits | u64::from(on) << n)]);
        sink.bits(fields::PRESENT, &[(1 << seats.count()) - 1]);
        sink.bits(fields::ACTIVE, &[if *phase == Phase::Start { 0 } else { self.seat_bit(*active) }]);
        sink.bits(fields::OWING, &[phase.to_act(*active).map_or(0, |seat| self.seat_bit(seat))]);
        sink.bits(fields::PHASE, &[decision]);
        sink.bits(fields::SCORED, &[phase.scored().map_or(0, |kind| 1 << kind.index())]);
        sink.bits(fields::HAND, &[thermometers::<{ Kind::COUNT }, _>(self.hand(), 3)]);
        sink.bits(fields::COLUMNS, &columns.map(one_hots));
        sink.bits(fields::DEPTHS, &columns.map(|pile| thermometer(pile.len)));
        sink.bits(
            fields::TOP,
            &[match stone.top {
                Top::Empty => 0,
                Top::Open(food) => 1 << food.index(),
                Top::FaceDown => 1 << Food::COUNT,
            }],
        );

        let own = self.viewer.seat();
        let mut gatherers = [0; fields::SEATS];
        let mut people = [[0; fields::SEATS]; 3];
        let mut bonuses = [0; fields::SEATS];
        let mut points = [0; fields::SEATS];
        let mut hidden = [0; fields::SEATS];
        for place in 0..seats.count() {
            let seat = seats.left_of(own, place);
            let display = villages[seat].display;
            gatherers[place] = thermometers::<{ Food::COUNT }, _>(display, fields::GATHERERS);
            for (people, kind) in people.iter_mut().zip([Kind::Lumberjack, Kind::Priest, Kind::Moai]) {
                people[place] = thermometer(display[kind]);
            }
            bonuses[place] = self.table.bonuses(seat);
            points[place] = self.points(seat) as i16;
            hidden[place] = stone.hidden_by(seat).count() as i16;
        }
        let [lumberjacks, priests, moai] = people;
        sink.bits(fields::GATHERER, &gatherers);
        sink.bits(fields::LUMBERJACK, &lumberjacks);
        sink.bits(fields::PRIEST, &priests);
        sink.bits(fields::MOAI, &moai);
        sink.bits(fields::BONUS, &bonuses);

        sink.numbers(fields::WOOD, &villages.from_left::<{ fields::SEATS }, _>(own, |village| village.wood as i16));
        sink.numbers(fields::GLORY, &villages.from_left::<{ fields::SEATS }, _>(own, |village| village.glory as i16));
        sink.numbers(fields::POINTS, &points);
        sink.numbers(fields::HELD, &villages.from_left::<{ fields::SEATS }, _>(own, |village| village.held.into()));
        sink.numbers(fields::HIDDEN, &hidden);
        sink.numbers(fields::OWN_CARDS, &numbers::<_, { Food::COUNT }>(self.own_cards()));
        sink.numbers(fields::OWN_HIDDEN, &numbers::<_, { Food::COUNT }>(self.own_hidden()));
        sink.numbers(fields::PRICE, &villages[own].prices().map(|price| price as i16));
        sink.numbers(fields::STOCK, &numbers::<_, { Food::COUNT }>(*stock));
        sink.numbers(fields::STONE, &numbers::<_, { Food::COUNT }>(self.sacrificed().unwrap_or(stone.open)));
        sink.numbers(fields::UNSEEN, &numbers::<_, { Kind::COUNT }>(*unseen));
        sink.numbers(fields::STACK, &[(*stack).into()]);
        sink.numbers(fields::BOXED, &[(*boxed).into()]);
        sink.numbers(fields::DUE, &[due.into()]);
        sink.numbers(fields::TURN, &[(*turn).into()]);
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

    /// Returns the ranks by the tie-breaks of A18.
    fn ranks(&self) -> BySeat<u8> {
        let standing = |seat| self.table.villages[seat].standing(self.points(seat));
        ranks_by(&BySeat::from_fn(self.table.options.seats, standing))
    }
}
