//! The observation: a view as bits and numbers. Seats go from the own one to the left.

use ahu_core::observation::flag_bits;
use ahu_core::parts::counts::{Counts, WORD};
use ahu_core::{Encode, Numbered, Sink, fields};

use super::cards::{Food, Kind};
use super::column::{Column, DEPTH, Pile};
use super::options::{DepletedPick, DisplayView, Options, StoneView, SupplySacrifice, ZeroCount};
use super::stone::Top;
use super::view::View;
use super::{Phase, Table};

/// The number of seats of the largest table.
const SEATS: usize = 4;
/// The most Hunters & Gatherers of a food that one player can have: all of the deck and a start card.
const GATHERERS: usize = 6;
/// The most lumberjacks that one player can have: all of the deck and a start card.
const LUMBERJACKS: usize = 13;
/// The most priests and the most Moai that one player can have.
const NINE: usize = 9;
/// The most turns: each turn draws a card, and no game draws more than 45.
const TURNS: i16 = 45;
/// The most wood. At most 44 turns are scored, and a scoring brings a player at most 14 wood, or 10 glory points.
const MOST_WOOD: i16 = 5 + 44 * 14;
const MOST_GLORY: i16 = 44 * 10;
/// The most glory points: with 9 Moai, all the wood, and all 100 sacrifice cards.
const MOST_POINTS: i16 = MOST_GLORY + 9 * 4 + MOST_WOOD / 5 + 100 * 3;

fields! {
    bits {
        /// the options that have this value
        options: flags[5].values(&[
            "stone_view=all_face_up", "display_view=front", "moai_supply_sacrifice=optional", "depleted_pick=may_decline",
            "zero_count_types=worth_0"
        ]);
        /// the seat is taken in this game
        present: flags[SEATS].by_seat();
        /// the player whose turn it is; none before the starting player is known
        active: one_hot[SEATS].by_seat();
        /// the player who decides now
        to_act: one_hot[SEATS].by_seat();
        /// the decision that is due; none while chance is due or at the end
        phase: one_hot[7].values(&["buy", "play", "sacrifice", "supply", "draw", "payout", "substitute"]);
        /// the kind that is being scored
        scored: one_hot[Kind::COUNT].values(Kind::NAMES);
        /// cards in own hand, by kind
        hand: thermometer[Kind::COUNT, 3].values_along(0, Kind::NAMES);
        /// the cards of each column, the front one first; none if the card is not visible
        columns: one_hot[Column::COUNT, DEPTH, Kind::COUNT].values(Kind::NAMES);
        /// the number of cards in each column
        depths: thermometer[Column::COUNT, DEPTH];
        /// the card on top of the stone; none if the stone is empty
        top: one_hot[Food::COUNT + 1].values(&["fish", "mulberry", "sweet_potato", "grain", "face_down"]);
        /// Hunters & Gatherers in the display of each seat, by food
        gatherers: thermometer[SEATS, Food::COUNT, GATHERERS].by_seat().values_along(1, Food::NAMES);
        /// lumberjacks in the display of each seat
        lumberjacks: thermometer[SEATS, LUMBERJACKS].by_seat();
        /// priests in the display of each seat
        priests: thermometer[SEATS, NINE].by_seat();
        /// Moai in the display of each seat
        moai: thermometer[SEATS, NINE].by_seat();
        /// the seat has at least two cards and the sole majority, by kind
        bonus: flags[SEATS, Kind::COUNT].by_seat().values(Kind::NAMES);
    }
    numbers {
        /// wood of each seat
        wood: numbers[SEATS].range(0, MOST_WOOD).by_seat();
        /// glory points of each seat in tiles
        glory: numbers[SEATS].range(0, MOST_GLORY).by_seat();
        /// glory points of each seat in tiles, Moai, and wood, and, after the end, in sacrifice cards
        points: numbers[SEATS].range(0, MOST_POINTS).by_seat();
        /// the number of sacrifice cards of each seat
        sacrifice_cards: numbers[SEATS].range(0, 100).by_seat();
        /// the number of sacrifice cards that each seat laid on the stone face down
        hidden: numbers[SEATS].range(0, 9).by_seat();
        /// own sacrifice cards, by food
        own_cards: numbers[Food::COUNT].range(0, 25).values(Food::NAMES);
        /// sacrifice cards that the own seat laid on the stone face down, by food
        own_hidden: numbers[Food::COUNT].range(0, 9).values(Food::NAMES);
        /// the price of a sacrifice card for the own seat, by food, in wood
        price: numbers[Food::COUNT].range(0, 5).values(Food::NAMES);
        /// sacrifice cards in the supply, by food
        stock: numbers[Food::COUNT].range(0, 25).values(Food::NAMES);
        /// face-up cards on the stone, by food, with stone_view=all_face_up, else 0; after the end all cards on the stone
        stone: numbers[Food::COUNT].range(0, 25).values(Food::NAMES);
        /// cards that no player has seen, by kind
        unseen: numbers[Kind::COUNT].range(0, 12).values(Kind::NAMES);
        /// cards in the stack
        stack: numbers[].range(0, 50);
        /// Moai that were put out of the game
        boxed: numbers[].range(0, 9);
        /// the number of substitutes that the player who decides now still gets
        due: numbers[].range(0, 2);
        /// the number of this turn in the game
        turn: numbers[].range(0, TURNS);
    }
}

/// Returns `count` bits from the lowest.
#[inline]
const fn thermometer(count: u8) -> u64 {
    (1 << count) - 1
}

/// Returns a thermometer of `width` bits for each of `N` sorts, one after the other.
#[inline]
fn thermometers<const N: usize, C: Numbered>(counts: Counts<C, WORD>, width: usize) -> u64 {
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
fn numbers<C: Numbered, const N: usize>(counts: Counts<C, WORD>) -> [i16; N] {
    std::array::from_fn(|sort| counts.as_slice()[sort].into())
}

impl Encode for View {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

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
        let decision = match *phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) | Phase::Over => 0,
            Phase::Buy => 1,
            Phase::Play => 1 << 1,
            Phase::Sacrifice(_) => 1 << 2,
            Phase::Supply => 1 << 3,
            Phase::Draw => 1 << 4,
            Phase::Payout(_) => 1 << 5,
            Phase::Substitute { .. } => 1 << 6,
        };
        sink.bits(fields::options, &[flag_bits(flags)]);
        sink.bits(fields::present, &[(1 << seats.count()) - 1]);
        sink.bits(fields::active, &[if *phase == Phase::Start { 0 } else { self.seat_bit(*active) }]);
        sink.bits(fields::to_act, &[phase.to_act(*active).map_or(0, |seat| self.seat_bit(seat))]);
        sink.bits(fields::phase, &[decision]);
        sink.bits(fields::scored, &[phase.scored().map_or(0, |kind| 1 << kind.index())]);
        sink.bits(fields::hand, &[thermometers::<{ Kind::COUNT }, _>(self.hand(), 3)]);
        let mut shown = [0; Column::COUNT];
        shown.iter_mut().zip(columns).for_each(|(bits, &pile)| *bits = one_hots(pile));
        sink.bits(fields::columns, &shown);
        sink.bits(fields::depths, &columns.map(|pile| thermometer(pile.len)));
        sink.bits(
            fields::top,
            &[match stone.top {
                Top::Empty => 0,
                Top::Open(food) => 1 << food.index(),
                Top::FaceDown => 1 << Food::COUNT,
            }],
        );

        let own = self.viewer.seat();
        let mut gatherers = [0; SEATS];
        let mut people = [[0; SEATS]; 3];
        let mut bonuses = [0; SEATS];
        let [mut wood, mut glory, mut points, mut sacrifice_cards, mut hidden] = [[0; SEATS]; 5];
        for place in 0..seats.count() {
            let seat = seats.left_of(own, place);
            let village = &villages[seat];
            let display = village.display;
            gatherers[place] = thermometers::<{ Food::COUNT }, _>(display, GATHERERS);
            for (people, kind) in people.iter_mut().zip([Kind::Lumberjack, Kind::Priest, Kind::Moai]) {
                people[place] = thermometer(display[kind]);
            }
            bonuses[place] = self.table.bonuses(seat);
            wood[place] = village.wood as i16;
            glory[place] = village.glory as i16;
            points[place] = self.points(seat) as i16;
            sacrifice_cards[place] = village.held.into();
            hidden[place] = stone.hidden_by(seat).count() as i16;
        }
        let [lumberjacks, priests, moai] = people;
        sink.bits(fields::gatherers, &gatherers);
        sink.bits(fields::lumberjacks, &lumberjacks);
        sink.bits(fields::priests, &priests);
        sink.bits(fields::moai, &moai);
        sink.bits(fields::bonus, &bonuses);

        sink.numbers(fields::wood, &wood);
        sink.numbers(fields::glory, &glory);
        sink.numbers(fields::points, &points);
        sink.numbers(fields::sacrifice_cards, &sacrifice_cards);
        sink.numbers(fields::hidden, &hidden);
        sink.numbers(fields::own_cards, &numbers::<_, { Food::COUNT }>(self.own_cards()));
        sink.numbers(fields::own_hidden, &numbers::<_, { Food::COUNT }>(self.own_hidden()));
        sink.numbers(fields::price, &villages[own].prices().map(|price| price as i16));
        sink.numbers(fields::stock, &numbers::<_, { Food::COUNT }>(*stock));
        sink.numbers(fields::stone, &numbers::<_, { Food::COUNT }>(self.sacrificed().unwrap_or(stone.open)));
        sink.numbers(fields::unseen, &numbers::<_, { Kind::COUNT }>(*unseen));
        sink.numbers(fields::stack, &[(*stack).into()]);
        sink.numbers(fields::boxed, &[(*boxed).into()]);
        sink.numbers(fields::due, &[phase.due().into()]);
        sink.numbers(fields::turn, &[(*turn).into()]);
    }
}
