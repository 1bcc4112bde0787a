//! The gain of a search at one decision: `cargo bench --bench regret -- GAME SEATS GAMES REFERENCE BOT BOT [BOT ...]`.
//!
//! A game of a few seats lasts seconds, and its result says little about one decision. This bench compares searches by
//! positions instead. All seats of a game are played by `search@1:50`, and some of its positions are drawn. There each bot
//! makes its choice. A reference then estimates the worth of these choices in new games, the same for all choices. The table
//! has the mean gain of each bot over the first one for a decision, in utility and in wins, with its standard error.
//!
//! A REFERENCE is a number of new games, which `greedy` plays to the end: `400`. With a second number, `search@1:50` makes so
//! many decisions of the table before `greedy` goes on: `24,4`.
//!
//! A BOT is `search@1:N` or `search@2:N`, which may be followed by parameters that differ from the catalog: `errors`, `depth`,
//! `scale`, and `decisions`, the decisions of each seat in a playout that the net makes. Example:
//! `cargo bench --bench regret -- giants 3 20 400 search@1:200 search@1:800 search@2:200,decisions=2`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::print_stderr, reason = "the table so far goes to stderr")]

use std::fmt::Write as _;
use std::process::ExitCode;

use ahu_core::{
    Action as _, ActionId, ActionSet, ChanceRng, Game, GameExt as _, GameOptions, NoEvents, Seat, Seats, Seed,
    View as _, Viewer,
};
use ahu_games::{giants::Giants, rapanui_board::RapanuiBoard, rapanui_cards::RapanuiCards, rappanui::RappaNui};
use ahu_host::search::{Budget, Search, utility};
use ahu_host::{BotSeed, Cores, searches};
use rand::Rng as _;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

/// The bot that plays the games from which positions are drawn, and that plays on in the dearer reference.
const PLAYER: &str = "search@1:50";
/// The number of positions of a game.
const POSITIONS: usize = 8;
/// The number of games between two tables on stderr.
const ROUND: u64 = 4;
/// A seed that neither the ladder nor the tests use.
const SEED: Seed = Seed(20_261_123);

fn main() -> ExitCode {
    // cargo adds `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let done = match &args[..] {
        [game, seats, games, reference, bots @ ..] if bots.len() >= 2 => {
            measure_by_name(game, seats, games, reference, bots)
        }
        _ => Err(format!("expected GAME SEATS GAMES REFERENCE BOT BOT [BOT ...], got \"{}\"", args.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn measure_by_name(game: &str, seats: &str, games: &str, reference: &str, bots: &[String]) -> Result<(), String> {
    let seats = seats.parse().map_err(|_| format!("expected a number of seats, got \"{seats}\""))?;
    let games = games.parse().map_err(|_| format!("expected a number of games, got \"{games}\""))?;
    let reference = Reference::read(reference)?;
    match game {
        "rappanui" => {
            let found = || (searches::RAPPANUI, Some(searches::RAPPANUI_2));
            measure::<RappaNui>(&found, seats, games, reference, bots)
        }
        "rapanui_cards" => {
            let found = || (searches::RAPANUI_CARDS, Some(searches::RAPANUI_CARDS_2));
            measure::<RapanuiCards>(&found, seats, games, reference, bots)
        }
        "giants" => {
            let found = || (searches::GIANTS, Some(searches::GIANTS_2));
            measure::<Giants>(&found, seats, games, reference, bots)
        }
        "rapanui_board" => measure::<RapanuiBoard>(&|| (searches::RAPANUI_BOARD, None), seats, games, reference, bots),
        _ => Err(format!("expected rappanui, rapanui_cards, giants, or rapanui_board, got \"{game}\"")),
    }
}

/// The way in which the worth of a choice is estimated.
#[derive(Clone, Copy)]
struct Reference {
    /// The number of games in which a choice is tried.
    worlds: u64,
    /// The number of decisions that the player of this bench makes there before `greedy` does.
    searched: usize,
}

impl Reference {
    fn read(text: &str) -> Result<Self, String> {
        let (worlds, searched) = text.split_once(',').unwrap_or((text, "0"));
        match (worlds.parse(), searched.parse()) {
            (Ok(worlds @ 1..), Ok(searched)) => Ok(Self { worlds, searched }),
            _ => Err(format!("expected a reference such as 400 or 24,4, got \"{text}\"")),
        }
    }
}

/// `search@1` and `search@2` of a game.
type Searches<G> = (Search<G>, Option<Search<G>>);

/// A search with its budget.
struct Bot<'a, G: Game> {
    name: &'a str,
    search: Search<G>,
    budget: Budget,
}

impl<'a, G: Game> Bot<'a, G> {
    /// Reads the text of a bot; the searches of the game have the parameters that the text does not name.
    fn read(name: &'a str, (one, two): Searches<G>) -> Result<Self, String> {
        let mut parts = name.split(',');
        let named = parts.next().and_then(|first| match first.split_once(':')? {
            ("search@1", budget) => Some((one, budget)),
            ("search@2", budget) => Some((two?, budget)),
            _ => None,
        });
        let expected = || format!("expected a bot of the game such as search@1:200, got \"{name}\"");
        let (mut search, budget) = named.ok_or_else(expected)?;
        let budget = budget.parse().map_err(|error| format!("{name}: {error}"))?;
        for part in parts {
            let unreadable = || format!("expected errors=, depth=, scale=, or decisions= of a net, got \"{part}\"");
            let (key, value) = part.split_once('=').ok_or_else(unreadable)?;
            match key {
                "decisions" => {
                    let guide = search.guide.as_mut().ok_or_else(unreadable)?;
                    guide.decisions = value.parse().map_err(|_| unreadable())?;
                }
                "depth" => search.depth = value.parse().map_err(|_| unreadable())?,
                "errors" | "scale" => {
                    let number = value.parse().ok().filter(|&number: &f64| number > 0.0 && number.is_finite());
                    *(if key == "scale" { &mut search.scale } else { &mut search.errors }) =
                        number.ok_or_else(unreadable)?;
                }
                _ => return Err(unreadable()),
            }
        }
        Ok(Self { name, search, budget })
    }

    fn choose(&self, game: &G, seat: Seat, legal: &ActionSet, seed: BotSeed, decision: u32) -> ActionId {
        let view = game.view(Viewer::Seat(seat));
        self.search.analyse(&view, legal, self.budget, &mut seed.rng(seat, decision), Cores::Callers).choice
    }
}

fn measure<G: Game>(
    searches: &(dyn Fn() -> Searches<G> + Sync),
    seats: usize,
    games: u64,
    reference: Reference,
    bots: &[String],
) -> Result<(), String> {
    let (least, most) = (G::Options::MIN_SEATS, G::Options::MAX_SEATS);
    let count = Seats::new(seats).filter(|_| (least..=most).contains(&seats));
    let count = count.ok_or_else(|| format!("expected from {least} to {most} seats, got {seats}"))?;
    let bots: Vec<Bot<'_, G>> = bots.iter().map(|name| Bot::read(name, searches())).collect::<Result<_, _>>()?;
    let player = Bot::read(PLAYER, searches())?;
    let bench = Bench { options: G::Options::new(count), player, reference, bots };
    let mut figures = Figures::default();
    for first in (0..games).step_by(ROUND as usize) {
        let measured: Vec<Figures> =
            (first..games.min(first + ROUND)).into_par_iter().map(|index| bench.measure(index)).collect();
        figures.extend(measured);
        if figures.games < games {
            eprintln!("{}", bench.table(&figures));
        }
    }
    println!("{}", bench.table(&figures));
    Ok(())
}

/// The worth of a choice: the mean utility, and the mean share of the win.
type Worth = [f64; 2];

/// The figures of some games.
#[derive(Default)]
struct Figures {
    games: u64,
    /// The decisions with more than one legal action, of all seats.
    decisions: usize,
    positions: Vec<Vec<Choice>>,
}

/// The choice of a bot at a position, with its worth.
#[derive(Clone, Copy)]
struct Choice {
    id: ActionId,
    worth: Worth,
}

impl Extend<Self> for Figures {
    fn extend<T: IntoIterator<Item = Self>>(&mut self, others: T) {
        for other in others {
            self.games += other.games;
            self.decisions += other.decisions;
            self.positions.extend(other.positions);
        }
    }
}

struct Bench<'a, G: Game> {
    options: G::Options,
    player: Bot<'a, G>,
    reference: Reference,
    bots: Vec<Bot<'a, G>>,
}

impl<G: Game> Bench<'_, G> {
    /// Plays the `index`-th game, and asks the bots for their choices at some of its positions.
    fn measure(&self, index: u64) -> Figures {
        let seed = SEED.child(index);
        let mut positions = Vec::new();
        let mut game = G::new(&self.options);
        self.play_on(&mut game, seed, usize::MAX, |game, seat| positions.push((game.clone(), seat)));
        let decisions = positions.len();
        let mut rng = BotSeed::new(seed, 1).rng(Seat::new(0).expect("seat 0 exists"), 0);
        let drawn: Vec<_> = (0..POSITIONS.min(decisions))
            .map(|_| positions.swap_remove(rng.next_u64() as usize % positions.len()))
            .collect();
        let positions = drawn.iter().zip(1..).map(|((game, seat), number)| self.compare(game, *seat, seed, number));
        Figures { games: 1, decisions, positions: positions.collect() }
    }

    /// Plays a game to the end: its first decisions by the player of this bench, and the others by `greedy`. `visit` gets
    /// the game at each decision with more than one legal action.
    fn play_on(&self, game: &mut G, seed: Seed, searched: usize, mut visit: impl FnMut(&G, Seat)) {
        let (mut chance, bots) = (ChanceRng::new(seed), BotSeed::new(seed, 0));
        let mut legal = ActionSet::of::<G::Action>();
        let mut decisions: u32 = 0;
        loop {
            game.settle_all(&mut chance, &mut NoEvents);
            let Some(seat) = game.turn().to_act().first() else { return };
            game.legal_actions(seat, &mut legal);
            if legal.len() > 1 {
                visit(game, seat);
                decisions += 1;
            }
            let action = if legal.len() > 1 && decisions as usize <= searched {
                let id = self.player.choose(game, seat, &legal, bots, decisions);
                G::Action::from_id(id).expect("a legal action")
            } else {
                (self.player.search.policy.choose_in)(game, seat, &legal, &mut bots.rng(seat, decisions))
            };
            game.apply(seat, action, &mut NoEvents);
        }
    }

    /// Returns the choice of each bot at a position. A choice that two bots make has the same worth.
    fn compare(&self, game: &G, seat: Seat, seed: Seed, number: u32) -> Vec<Choice> {
        let mut legal = ActionSet::of::<G::Action>();
        game.legal_actions(seat, &mut legal);
        let choose = |bot: &Bot<'_, G>| bot.choose(game, seat, &legal, BotSeed::new(seed, 2), number);
        let ids: Vec<ActionId> = self.bots.iter().map(choose).collect();
        // Where all choose alike, no bot gains.
        if ids.iter().all(|&id| id == ids[0]) {
            return ids.into_iter().map(|id| Choice { id, worth: Worth::default() }).collect();
        }
        let mut view = game.view(Viewer::Seat(seat));
        G::forget_simultaneous(&mut view);
        let base = Seed(BotSeed::new(seed, 3).rng(seat, number).next_u64());
        let mut choices: Vec<Choice> = Vec::new();
        for id in ids {
            let known = choices.iter().find(|choice| choice.id == id).copied();
            choices.push(known.unwrap_or_else(|| Choice { id, worth: self.worth(&view, id, base) }));
        }
        choices
    }

    /// Returns the worth of an action over the games of the reference.
    fn worth(&self, view: &G::View, id: ActionId, base: Seed) -> Worth {
        let seat = view.viewer().seat();
        let mut sums = [0.0; 2];
        for world in 0..self.reference.worlds {
            let seed = base.child(world);
            let mut game = G::resample(view, &mut BotSeed::new(seed, 1).rng(seat, 0));
            game.apply(seat, G::Action::from_id(id).expect("a legal action"), &mut NoEvents);
            self.play_on(&mut game, seed, self.reference.searched, |_, _| ());
            let end = game.view(Viewer::Public);
            let (scores, ranks) = (end.scores(), end.ranks());
            let firsts = ranks.iter().filter(|&(_, rank)| rank == 1).count();
            sums[0] += utility(seat, &scores, searches::SCALE);
            sums[1] += if ranks[seat] == 1 { 1.0 / firsts as f64 } else { 0.0 };
        }
        sums.map(|sum| sum / self.reference.worlds as f64)
    }

    fn table(&self, figures: &Figures) -> String {
        let count = figures.positions.len() as f64;
        let a_seat = figures.decisions as f64 / figures.games as f64 / self.options.seats().count() as f64;
        let mut table = format!(
            "{}, {} seats: {count} positions of {} games, {a_seat:.0} decisions a seat and game; gains over {}\n\
             {:<30} {:>6}   {:<20}  {}",
            G::INFO.id,
            self.options.seats().count(),
            figures.games,
            self.bots[0].name,
            "bot",
            "other",
            "utility (s.e.)",
            "wins (s.e.)",
        );
        for (index, bot) in self.bots.iter().enumerate().skip(1) {
            let other = figures.positions.iter().filter(|choices| choices[index].id != choices[0].id).count();
            let share = 100.0 * other as f64 / count;
            write!(table, "\n{:<30} {share:>5.1}%", bot.name).expect("a text takes all");
            for value in 0..2 {
                let gain = |choices: &Vec<Choice>| choices[index].worth[value] - choices[0].worth[value];
                let gains = || figures.positions.iter().map(gain);
                let mean = gains().sum::<f64>() / count;
                let error = (gains().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
                write!(table, "   {mean:+.5} ({error:.5})  ").expect("a text takes all");
            }
        }
        table
    }
}
