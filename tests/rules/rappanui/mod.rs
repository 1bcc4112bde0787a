//! Tests of Rappa Nui, rule by rule: the printed rules, and the rulings B1 to B24 of the game's front page.
//!
//! A test sets up a [`table`] from text, plays in the game's own notation, and checks the result. Its name is the
//! rule. Each legal case stands beside an illegal one.

mod combine;
mod conflict;
mod deck;
mod decline;
mod deforestation;
mod end;
mod events;
mod guard;
mod knowledge;
mod moai;
mod options;
mod rapa_nui_phase;
mod reading;
mod secrets;
mod setup;
mod typed;
mod views;

use std::collections::HashMap;

use ahu_core::{
    ActionSet, BySeat, ChanceRng, Event as _, Game, Seat, Seats, Seed, View as _, Viewer, options as option_list,
};
use ahu_games::rappanui::cards::{Card, CardSet, Kind};
use ahu_games::rappanui::{Action, Event, Options, Outcome, Phase, RappaNui, Table as Open, VisibleCards};

use crate::scripted::{self, PUBLIC, Scripted, read, seat, viewer};

/// A table of the deck game.
type Table = scripted::Table<RappaNui>;

/// Sets up a table from lines of `key: value`.
///
/// | key | value | default |
/// |---|---|---|
/// | `hands` | one hand for each seat, `raid F7 / - / W3 W3` | two empty hands |
/// | `points` | points of each seat, `3 / 0 / 12` | 0 |
/// | `phase` | `deal`, `draw`, `conflict`, `meld` or `over` | `draw`, the beginning of a turn |
/// | `player`, `first` | a seat | 0 |
/// | `round` | the number of the player's turn | 3, the first with events |
/// | `passes` | the number of times that the deck has run out | 0 |
/// | `deck`, `discard`, `eroded` | cards | see below |
/// | an option | its value | its default |
///
/// A card is a kind, `F7`, or `F7.2` if the copy matters; `raid*8` means eight cards, `-` no card. Cards that no line
/// names are in the deck; if a line names the deck, in the discard pile; if a line names that too, in the erosion
/// pile.
fn table(text: &str) -> Table {
    let mut lines: HashMap<&str, &str> = text
        .lines()
        .map(|line| line.split_once(':').unwrap_or_else(|| panic!("expected \"key: value\", got \"{line}\"")))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    let mut line = |key: &str| lines.remove(key);
    let number =
        |text: &str| text.trim().parse::<u16>().unwrap_or_else(|_| panic!("expected a number, got \"{text}\""));

    let mut rest = CardSet::ALL;
    let hands: Vec<_> = line("hands").unwrap_or("/").split('/').map(|names| take(&mut rest, names)).collect();
    let seats = Seats::new(hands.len()).expect("the hands fit a table");
    let points: Vec<_> = line("points").map_or(vec![0; hands.len()], |points| points.split('/').map(number).collect());
    let [player, first] = ["player", "first"].map(|key| seat(line(key).map_or(0, number).into()));
    let (round, passes) = (line("round").map_or(3, number), line("passes").map_or(0, number) as u8);
    let phase = match line("phase").unwrap_or("draw") {
        "deal" => Phase::Deal,
        "draw" => Phase::Draw,
        "conflict" => Phase::Conflict,
        "meld" => Phase::Meld { laid: CardSet::EMPTY },
        "over" => Phase::Over,
        phase => panic!("expected a phase, got \"{phase}\""),
    };
    let mut piles = ["deck", "discard", "eroded"].map(|pile| line(pile).map(|names| take(&mut rest, names)));
    if let Some(unnamed) = piles.iter_mut().find(|pile| pile.is_none()) {
        *unnamed = Some(std::mem::take(&mut rest));
    }
    let [deck, discard, eroded] = piles.map(Option::unwrap_or_default);
    // In a later pass, the deck may have held every card that is now hidden.
    let shuffled = if passes == 0 { CardSet::ALL } else { hands.iter().fold(deck, |all, &hand| all | hand) };

    let options: Options = option_list::read(seats.count(), lines).expect("the other lines are options");
    let game = RappaNui {
        table: Open {
            options,
            phase,
            first,
            player,
            round,
            passes,
            points: BySeat::from_fn(seats, |seat| points[seat.index()]),
            discard,
            eroded,
            shuffled: shuffled.unmarked(),
        },
        deck,
        hands: BySeat::from_fn(seats, |seat| hands[seat.index()]),
        known: BySeat::new(seats, CardSet::EMPTY),
    };
    game.check_invariants().expect("every card is in one place");
    Table { game, events: Vec::new() }
}

impl Scripted for RappaNui {
    /// Reads an outcome. It may also name a kind, `F7`: the first such card in a place that it can come from.
    fn outcome(&self, text: &str) -> Outcome {
        let sources = match self.table.phase {
            Phase::Steal { victim } | Phase::Lose { victim } => [self.hands[victim], CardSet::ALL],
            _ => [self.deck, self.table.discard],
        };
        let mut taken = CardSet::EMPTY;
        let mut first_free = |kind: Kind| {
            let mut cards = sources.iter().chain([&CardSet::ALL]).filter_map(|&pile| (pile - taken).first_of(kind));
            let card = cards.next().unwrap_or_else(|| panic!("{text}: too many cards of kind {kind}"));
            taken = taken.with(card);
            card.to_string()
        };
        let words = text.split_whitespace();
        let marked: Vec<_> = words.map(|word| word.parse().map_or(word.to_owned(), &mut first_free)).collect();
        read(&marked.join(" "))
    }

    /// Returns the next decision or chance event: `seat 0: conflict`, `seat 0: steal from seat 1`, `over`.
    fn due(&self) -> String {
        let what = match self.table.phase {
            Phase::Deal => return "deal".to_owned(),
            Phase::Over => return "over".to_owned(),
            Phase::Draw => "draw".to_owned(),
            Phase::Conflict => "conflict".to_owned(),
            Phase::Steal { victim } => format!("steal from seat {victim}"),
            Phase::Lose { victim } => format!("loss of seat {victim}"),
            Phase::Meld { laid } if laid.is_empty() => "meld".to_owned(),
            Phase::Meld { laid } => format!("meld after {laid}"),
            Phase::Decline { excess, .. } => format!("discard {excess}"),
        };
        format!("seat {}: {what}", self.table.player)
    }

    fn check_invariants(&self) -> Result<(), String> {
        Self::check_invariants(self)
    }
}

impl Table {
    /// Returns the legal actions of the player, in the order of the ids: `no event, raid +1`.
    fn legal(&self) -> String {
        self.legal_for(self.game.table.player.index())
    }

    /// Returns the legal actions of a seat.
    fn legal_for(&self, index: usize) -> String {
        let texts: Vec<_> = self.actions(seat(index)).iter().map(Action::to_string).collect();
        texts.join(", ")
    }

    fn actions(&self, seat: Seat) -> Vec<Action> {
        let mut legal = ActionSet::of::<Action>();
        self.game.legal_actions(seat, &mut legal);
        legal.actions().collect()
    }

    /// Returns every chain of actions that completes the player's phase: `meld F1, meld W2, …`.
    fn decisions(&self) -> Vec<String> {
        let phase = std::mem::discriminant(&self.game.table.phase);
        let player = self.game.table.player;
        let mut chains = Vec::new();
        for action in self.actions(player) {
            let mut after = self.clone();
            after.play(&action.to_string());
            if std::mem::discriminant(&after.game.table.phase) == phase && after.game.table.player == player {
                chains.extend(after.decisions().into_iter().map(|rest| format!("{action}, {rest}")));
            } else {
                chains.push(action.to_string());
            }
        }
        chains
    }

    fn hand(&self, index: usize) -> String {
        self.game.hands[seat(index)].to_string()
    }

    fn deck(&self) -> String {
        self.game.deck.to_string()
    }

    fn discard(&self) -> String {
        self.game.table.discard.to_string()
    }

    fn eroded(&self) -> String {
        self.game.table.eroded.to_string()
    }

    fn passes(&self) -> u8 {
        self.game.table.passes
    }

    fn points(&self) -> &[u16] {
        self.game.table.points.values()
    }

    /// Returns the ranks, where 1 is first.
    fn ranks(&self) -> Vec<u8> {
        self.game.view(PUBLIC).ranks().values().to_vec()
    }

    /// Returns the cards that one seat knows to be in the hand of another.
    fn knows(&self, index: usize, other: usize) -> String {
        self.view(viewer(index)).known[seat(other)].to_string()
    }

    /// Returns the events of the last plies as `viewer` was told of them.
    fn seen(&self, viewer: Viewer) -> Vec<Event<VisibleCards>> {
        self.events.iter().filter_map(|event| event.visible_to(viewer)).collect()
    }

    /// Returns the outcome that `seed` gives to the chance event that is due.
    fn draw(&self, seed: u64) -> Outcome {
        self.game.draw(&mut ChanceRng::new(Seed(seed)))
    }
}

/// Returns a set of cards, by kind.
fn cards(names: &str) -> CardSet {
    take(&mut CardSet::ALL.clone(), names)
}

/// Removes the named cards from a pool, and returns them.
fn take(pool: &mut CardSet, names: &str) -> CardSet {
    let mut taken = CardSet::EMPTY;
    for name in names.split_whitespace().filter(|&name| name != "-") {
        let (name, times) = name.split_once('*').unwrap_or((name, "1"));
        for _ in 0..times.parse().expect("a number of cards") {
            let card = match name.parse::<Kind>() {
                Ok(kind) => pool.first_of(kind),
                Err(_) => name.parse().ok().filter(|&card: &Card| pool.contains(card)),
            };
            let card = card.unwrap_or_else(|| panic!("no card {name} is left"));
            *pool -= card.into();
            taken = taken.with(card);
        }
    }
    taken
}
