//! Laws of a seat that a person plays with clicks: what it may do is a sentence and an element of its picture, and what it tries
//! before it answers tells it nothing.

use std::collections::{HashMap, HashSet};

use ahu_core::action_words::{sentence, targets};
use ahu_core::parts::picture::{Layout, Scene};
use ahu_core::{Action as _, ActionId, ActionSet, Describe as _, Fingerprint, Game, Seat, View as _, Viewer};
use ahu_games::Wire;
use ahu_games::giants::Giants;
use ahu_games::rapanui_board::RapanuiBoard;
use ahu_games::rapanui_cards::RapanuiCards;
use ahu_games::rappanui::RappaNui;
use ahu_host::Draft;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use ahu_laws::Secrets;
use ahu_laws::laws::{few_games_of, legal, play_random, some_options, tables};

/// The longest sentence, in characters.
const LONGEST: usize = 70;

/// The number of games for each seat count, and of positions with each row of actions for each seat.
const GAMES: u64 = 100;
const POSITIONS: usize = 20;

/// The most decisions of a chain that is tried.
const CHAIN: usize = 6;

/// Checks that the legal actions of a position have different plain sentences, that exactly the actions of the rows `untouched`
/// touch nothing, that all others touch elements of the seat's picture, and that a click chooses in each decision that is not
/// forced, except in bids. Random play meets some rows seldom: so the law checks the first positions with each row.
fn law_of_clicks<G: Secrets<L>, L>(untouched: &[&str]) {
    let mut met: HashMap<&str, usize> = HashMap::new();
    for seats in tables::<G>() {
        for seed in 0..GAMES {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, rng| {
                for seat in game.turn().to_act().iter() {
                    let legal = legal(game, seat);
                    let rows: HashSet<&str> = legal.iter().map(row_of::<G>).collect();
                    let times = rows.iter().map(|row| *met.entry(row).and_modify(|times| *times += 1).or_insert(1));
                    if times.min().is_some_and(|times| times <= POSITIONS * seats.count()) {
                        let layout = if rng.random_ratio(1, 2) { Layout::Wide } else { Layout::Phone };
                        let is_touched = check_actions(game, seat, &legal, layout, untouched);
                        let is_bid = rows.iter().all(|row| row.starts_with("bid "));
                        assert!(is_touched || is_bid || legal.len() == 1, "a click chooses none of {rows:?}");
                    }
                }
            });
        }
    }
    assert_eq!(met.len(), G::Action::GROUPS.len(), "expected all rows, got {met:?}");
}

/// Checks the legal actions of a seat. Returns true if one of them touches something.
fn check_actions<G: Game>(game: &G, seat: Seat, legal: &ActionSet, layout: Layout, untouched: &[&str]) -> bool {
    let view = game.view(Viewer::Seat(seat)).shown();
    let picture = view.svg(None, Scene { layout, ..Scene::default() });
    let elements = picture.split("data-t=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let elements: HashSet<&str> = elements.collect();
    let (mut sentences, mut is_touched) = (HashSet::new(), false);
    for id in legal.iter() {
        let (sentence, targets) = (sentence::<G>(&view, id), targets::<G>(&view, id));
        let is_plain = !sentence.contains("(s)") && !sentence.contains(['_', '<', '+', '.']);
        assert!(is_plain && sentence.starts_with(char::is_uppercase), "{sentence}");
        assert!(sentence.chars().count() <= LONGEST, "{sentence}");
        assert_eq!(targets.is_empty(), untouched.contains(&row_of::<G>(id)), "{sentence} touches {targets:?}: {view}");
        for target in &targets {
            assert!(elements.contains(&**target), "{target} of \"{sentence}\" in {layout} {elements:?}: {view}");
        }
        is_touched |= !targets.is_empty();
        assert!(sentences.insert(sentence), "two actions have one of the sentences {sentences:?}: {view}");
    }
    is_touched
}

/// Returns the pattern of an action.
fn row_of<G: Game>(id: ActionId) -> &'static str {
    let mut end = 0;
    let row = G::Action::GROUPS.iter().find(|group| {
        end += group.count;
        id.index() < end
    });
    row.expect("the id is one of the game's").pattern
}

/// Checks that shuffled secrets change nothing that a seat is shown while it tries actions that it can take back, and not whether
/// it can. Returns the number of actions that were tried in two different games.
fn law_of_drafts<G: Secrets<L> + Wire, L>(one_in: u32) -> usize {
    let mut tried = 0;
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, rng| {
                for seat in game.turn().to_act().iter() {
                    if !rng.random_ratio(1, one_in) {
                        continue;
                    }
                    let (other, _) = game.shuffle_secrets(Viewer::Seat(seat), None, rng);
                    if Fingerprint::of(game) != Fingerprint::of(&other) {
                        for id in legal(game, seat).iter() {
                            let drafts = [game, &other].map(|game| Draft::of(game.clone(), seat));
                            tried += try_chain(drafts, id, rng);
                        }
                    }
                }
            });
        }
    }
    tried
}

/// Tries a chain of decisions in two games that look the same to the seat. Returns their number.
fn try_chain(mut drafts: [Draft; 2], first: ActionId, rng: &mut ChaCha8Rng) -> usize {
    let mut id = first;
    for count in 1..=CHAIN {
        let [one, other] = drafts.each_mut().map(|draft| draft.play(id).expect("the action is legal in both games"));
        assert_eq!(one, other, "{:?} can be taken back", drafts[0].actions());
        if !one {
            return count;
        }
        // Whatever a seat gets is a function of its shown view and its legal actions.
        let shown = drafts.each_ref().map(|draft| (format!("{:?}", draft.view()), draft.legal_actions()));
        assert_eq!(shown[0], shown[1], "after {:?}", drafts[0].actions());
        let legal = &shown[0].1;
        id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
    }
    CHAIN
}

/// Tests the laws for a game. The list has the rows whose actions touch nothing; the law of drafts, for games with secrets,
/// checks one of this many positions.
macro_rules! click_laws {
    ($name:ident, $game:ty, $untouched:expr $(, one_in $one_in:expr)?) => {
        mod $name {
            use super::*;

            #[test]
            fn actions_are_plain_sentences_and_touch_what_is_drawn() {
                law_of_clicks::<$game, _>(&$untouched);
            }

            $(#[test]
            fn drafts_tell_nothing() {
                let tried = law_of_drafts::<$game, _>($one_in);
                assert!(tried > 1_000, "{tried} actions were tried");
            })?
        }
    };
}

click_laws!(rappanui, RappaNui, ["no event", "no meld", "done"], one_in 32);
click_laws!(rapanui_cards, RapanuiCards, ["buy nothing", "supply nothing", "pick nothing"], one_in 1);
click_laws!(giants, Giants, UNTOUCHED_IN_GIANTS, one_in 4);
// All players know all of the board game.
click_laws!(rapanui_board, RapanuiBoard, ["sculpt done", "drop out", "end turn"]);

const UNTOUCHED_IN_GIANTS: [&str; 9] = [
    "bid markers <number>",
    "bid workers <number>",
    "bid leaders <which>",
    "decline",
    "pass",
    "no power",
    "enough",
    "leave",
    "keep",
];
