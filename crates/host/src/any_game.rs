//! Type-erased games: games in progress, views, and events of any rules.

use std::fmt;
use std::str::FromStr;

use ahu_core::parts::picture::Scene;
use ahu_core::{
    Action as _, ActionId, ActionSet, Ask as _, BySeat, ChanceRng, Compact as _, Describe as _, Event, Fingerprint,
    Game, GameExt, GameOptions as _, NoEvents, OutcomeError, ParseError, PlayError, Seat, SeatSet, Seed, Tensor, Turn,
    View, Viewer, action_words,
};
use rand::Rng;

#[cfg(feature = "messages")]
use super::typed_message::Any;
use super::{BotAnalysis, BotChoice, BotName, BotRng, BotSeed, RowMut, Rules};

/// A game in progress, of any rules.
pub trait AnyGame: fmt::Debug + Send + Sync + std::any::Any {
    /// Returns a copy, which can go on differently.
    fn copy(&self) -> Box<dyn AnyGame>;
    /// Returns whose turn it is: chance, seats, or nobody.
    fn turn(&self) -> Turn;
    /// Returns the seats that decide together here: see [`Game::deciders`].
    fn deciders(&self) -> SeatSet;
    /// Returns the legal actions of `seat`.
    fn legal_actions(&self, seat: Seat) -> ActionSet;
    /// Writes what `seat` is shown and its legal actions into a row of a batch, as if no other player had the seat.
    fn write_row(&self, seat: Seat, row: RowMut<'_, '_>);
    /// Gives each legal action of `seat` to `take`, with the game after it, before any chance is settled.
    fn successors(&self, seat: Seat, take: &mut dyn FnMut(ActionId, Box<dyn AnyGame>));
    /// Applies an action. A refusal changes nothing.
    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError>;
    /// Applies an action without a report of events. A refusal changes nothing.
    fn play_quietly(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError>;
    /// Samples the outcome of the due chance event and returns its text. The game does not change.
    ///
    /// # Panics
    /// If no chance event is due.
    fn draw(&self, chance: &mut ChanceRng) -> String;
    /// Returns every outcome that the due chance event can have as text, with its probability; None if they are too many to list,
    /// or if no chance event is due.
    fn outcomes(&self) -> Option<Vec<(String, f64)>>;
    /// Draws the outcome of the due chance event, applies it, and returns its text.
    ///
    /// # Panics
    /// If no chance event is due.
    fn settle(&mut self, chance: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String;
    /// Settles chance events until a seat has to decide or the game is over, without texts or events. Returns their number.
    fn settle_quietly(&mut self, chance: &mut ChanceRng) -> usize;
    /// Applies the outcome with this text. A refusal changes nothing.
    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError>;
    /// Returns the choice of `bot` for `seat`, which has to decide, as work to be done.
    fn bot_choice(&self, bot: BotName, seat: Seat, rng: BotRng) -> BotChoice;
    /// Returns the analysis of the legal actions of `seat` by `bot`, as work to be done; None if the bot is no search, or
    /// if the seat has no decision.
    fn bot_analysis(&self, bot: BotName, seat: Seat, rng: BotRng) -> Option<BotAnalysis>;
    /// Plays a copy of the game to the end with `bot` in all seats, and returns the final scores and ranks. Chance has this
    /// seed, and the bots choose as the bots of a match with this seed would; their decisions count from here.
    fn play_out(&self, bot: BotName, seed: Seed) -> (BySeat<i32>, BySeat<u8>);
    /// Creates a game that `viewer` could be in, from its view alone: see [`Game::RESAMPLE`]; None if the game cannot.
    fn resample(&self, viewer: Viewer, rng: &mut dyn Rng) -> Option<Box<dyn AnyGame>>;
    /// Returns the bytes of all that `viewer` knows: see [`ahu_core::ViewBytes`]; None for a game without them, and while chance
    /// is due.
    fn view_bytes(&self, _viewer: Viewer) -> Option<Vec<u8>> {
        None
    }
    /// Returns the shown view of `viewer`.
    fn view(&self, viewer: Viewer) -> Box<dyn AnyView>;
    /// Returns the fingerprint of the state.
    fn fingerprint(&self) -> Fingerprint;
    /// Returns the size of the game in memory, in bytes.
    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// The shown view of one viewer.
pub trait AnyView: fmt::Debug + Send + Sync + std::any::Any {
    /// Returns the table as text for people.
    fn text(&self) -> String;
    /// Returns the table as text for language models: the same facts in fewer tokens.
    fn compact(&self) -> String;
    /// Returns the explanation of the compact text, with the facts about the board that never change. It depends on the options
    /// alone.
    fn compact_legend(&self) -> String;
    /// Fills the blocks of an observation. The layout has their sizes.
    fn write(&self, bits: &mut [u64], numbers: &mut [i16]);
    /// Returns the points so far, as far as the viewer can count them.
    fn scores(&self) -> BySeat<i32>;
    /// Returns the current ranks, as far as the viewer can tell.
    fn ranks(&self) -> BySeat<u8>;
    /// Returns the parts of the scores by source. They sum up to the scores.
    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)>;
    /// Returns the tie-break by which one seat stands before another one with the same points, to follow "by".
    fn tie_break(&self, before: Seat, after: Seat) -> &'static str;
    /// Returns the point in the turn, which is the first line of the text.
    fn headline(&self) -> String;
    /// Returns the cards and goods by which the viewer decides, in one line; empty for the public.
    fn holdings(&self) -> String;
    /// Returns the decision that the viewer owes, with its prices, its yields, and its limits; empty if the viewer owes none.
    fn question(&self) -> String;
    /// Returns an action as a plain sentence for the viewer, which names opponents as `seat 2`: see [`action_words::sentence`].
    fn sentence(&self, id: ActionId) -> String;
    /// Returns the elements of the picture (`data-t`) that an action of the viewer touches: see [`action_words::targets`].
    fn targets(&self, id: ActionId) -> Vec<String>;
    /// Returns the explanation of the signs in the text, which is a part of it; empty if it has no signs.
    fn legend(&self) -> &'static str;
    /// Returns what the scores leave out; None if they count everything.
    fn uncounted(&self) -> Option<&'static str>;
    /// Returns the picture of the table as SVG. What differs from `before`, an earlier view of the same viewer and game, is
    /// marked.
    ///
    /// # Panics
    /// If `before` is a view of another viewer or of another game.
    fn svg(&self, before: Option<&dyn AnyView>, scene: Scene<'_>) -> String;
    /// Returns the view as a typed message.
    #[cfg(feature = "messages")]
    fn message(&self) -> Any;
}

/// An event of any game.
pub trait AnyEvent: fmt::Debug + Send + Sync {
    /// Returns true if the event is visible to `viewer`.
    fn is_visible_to(&self, viewer: Viewer) -> bool;
    /// Returns the sentence that `viewer` is told; None if the event is not visible to the viewer.
    fn text_for(&self, viewer: Viewer) -> Option<String>;
    /// Returns true if the event begins a turn or a round.
    fn begins_turn(&self) -> bool;
    /// Returns the typed message that `viewer` is told; None if the event is not visible to the viewer.
    #[cfg(feature = "messages")]
    fn message_for(&self, viewer: Viewer) -> Option<Any>;
    /// Returns the size of the event in memory, in bytes.
    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// The reason why the text of a chance outcome is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleError {
    /// The text does not follow the grammar of outcomes.
    #[error(transparent)]
    Unreadable(ParseError),
    /// The outcome is impossible at this point.
    #[error(transparent)]
    Impossible(OutcomeError),
}

/// A game and its rules. It is a wrapper, so that a typed game has no second set of methods.
#[derive(Debug)]
struct ErasedGame<G: Game> {
    game: G,
    rules: &'static Rules<G>,
    /// The events of the current ply.
    happened: Vec<G::Event>,
}

/// Returns a game before its first ply.
pub(super) fn erased<G: Game>(game: G, rules: &'static Rules<G>) -> Box<dyn AnyGame> {
    Box::new(ErasedGame { game, rules, happened: Vec::new() })
}

impl<G: Game> ErasedGame<G> {
    fn report(&mut self, events: &mut Vec<Box<dyn AnyEvent>>) {
        let rules = self.rules;
        events.extend(self.happened.drain(..).map(|event| Box::new(ErasedEvent { event, rules }) as Box<dyn AnyEvent>));
    }
}

impl<G: Game> AnyGame for ErasedGame<G> {
    fn copy(&self) -> Box<dyn AnyGame> {
        erased(self.game.clone(), self.rules)
    }

    fn turn(&self) -> Turn {
        self.game.turn()
    }

    fn deciders(&self) -> SeatSet {
        self.game.deciders()
    }

    fn legal_actions(&self, seat: Seat) -> ActionSet {
        let mut legal = ActionSet::of::<G::Action>();
        self.game.legal_actions(seat, &mut legal);
        legal
    }

    fn write_row(&self, seat: Seat, mut row: RowMut<'_, '_>) {
        let (shown, legal) = (self.game.view(Viewer::Seat(seat)).shown(), self.legal_actions(seat));
        row.show_to(seat, seat.index() as u8, &shown, &legal);
    }

    fn successors(&self, seat: Seat, take: &mut dyn FnMut(ActionId, Box<dyn AnyGame>)) {
        for id in self.legal_actions(seat).iter() {
            let mut game = self.game.clone();
            game.apply(seat, G::Action::from_id(id).expect("a legal action has an id of the game"), &mut NoEvents);
            take(id, erased(game, self.rules));
        }
    }

    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError> {
        let action = self.game.check_action(seat, id)?;
        self.game.apply(seat, action, &mut self.happened);
        self.report(events);
        Ok(())
    }

    fn play_quietly(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError> {
        let action = self.game.check_action(seat, id)?;
        self.game.apply(seat, action, &mut NoEvents);
        Ok(())
    }

    fn draw(&self, chance: &mut ChanceRng) -> String {
        self.game.draw(chance).to_string()
    }

    fn outcomes(&self) -> Option<Vec<(String, f64)>> {
        let outcomes = self.game.outcomes()?;
        Some(outcomes.into_iter().map(|(outcome, probability)| (outcome.to_string(), probability)).collect())
    }

    fn settle(&mut self, chance: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String {
        let outcome = self.game.draw(chance);
        self.game.settle(&outcome, &mut self.happened);
        self.report(events);
        outcome.to_string()
    }

    fn settle_quietly(&mut self, chance: &mut ChanceRng) -> usize {
        self.game.settle_all(chance, &mut NoEvents)
    }

    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError> {
        let outcome = read_exactly::<G::Outcome>(outcome).map_err(SettleError::Unreadable)?;
        self.game.settle_checked(&outcome, &mut self.happened).map_err(SettleError::Impossible)?;
        self.report(events);
        Ok(())
    }

    fn bot_choice(&self, bot: BotName, seat: Seat, rng: BotRng) -> BotChoice {
        bot.of(self.rules.bots).choice(&self.game, seat, rng)
    }

    fn bot_analysis(&self, bot: BotName, seat: Seat, rng: BotRng) -> Option<BotAnalysis> {
        let owes = self.game.turn().to_act().contains(seat);
        owes.then(|| bot.of(self.rules.bots).analysis(&self.game, seat, rng)).flatten()
    }

    fn play_out(&self, name: BotName, seed: Seed) -> (BySeat<i32>, BySeat<u8>) {
        let (mut game, mut chance) = (self.game.clone(), ChanceRng::new(seed));
        let (bot, bot_seed) = (name.of(self.rules.bots), BotSeed::new(seed, 0));
        let mut decisions = BySeat::new(game.options().seats(), 0);
        let mut legal = ActionSet::of::<G::Action>();
        loop {
            game.settle_all(&mut chance, &mut NoEvents);
            let Some(seat) = game.turn().to_act().first() else { break };
            game.legal_actions(seat, &mut legal);
            decisions[seat] += 1;
            let id = bot.choose(&game, seat, &legal, &mut bot_seed.rng(seat, decisions[seat]));
            game.apply(seat, G::Action::from_id(id).expect("bots choose legal actions"), &mut NoEvents);
        }
        let end = game.view(Viewer::Public);
        (end.scores(), end.ranks())
    }

    fn resample(&self, viewer: Viewer, rng: &mut dyn Rng) -> Option<Box<dyn AnyGame>> {
        G::RESAMPLE.map(|resample| erased(resample(&self.game.view(viewer), rng), self.rules))
    }

    fn view_bytes(&self, viewer: Viewer) -> Option<Vec<u8>> {
        G::VIEW_BYTES.filter(|_| self.game.turn() != Turn::Chance).map(|bytes| (bytes.write)(&self.game.view(viewer)))
    }

    fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        erased_view(&self.game, viewer, self.rules)
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.game)
    }
}

/// Returns a game by its type.
///
/// # Panics
/// If it is one of another type.
pub(super) fn typed<G: Game>(game: &dyn AnyGame) -> &G {
    let erased: &ErasedGame<G> = (game as &dyn std::any::Any).downcast_ref().expect("a game of this type");
    &erased.game
}

/// Returns the shown view of a viewer.
pub(super) fn erased_view<G: Game>(game: &G, viewer: Viewer, rules: &'static Rules<G>) -> Box<dyn AnyView> {
    let owes = matches!(viewer, Viewer::Seat(seat) if game.turn().to_act().contains(seat));
    Box::new(ErasedView { view: game.view(viewer).shown(), owes, rules })
}

#[derive(Debug)]
struct ErasedView<G: Game> {
    view: G::View,
    /// True if the viewer owes a decision.
    owes: bool,
    #[cfg_attr(not(feature = "messages"), expect(dead_code, reason = "the rules have the messages"))]
    rules: &'static Rules<G>,
}

impl<G: Game> AnyView for ErasedView<G> {
    fn text(&self) -> String {
        self.view.to_string()
    }

    fn compact(&self) -> String {
        self.view.compact()
    }

    fn compact_legend(&self) -> String {
        self.view.compact_legend()
    }

    fn write(&self, bits: &mut [u64], numbers: &mut [i16]) {
        Tensor::fill(bits, numbers, &self.view);
    }

    fn scores(&self) -> BySeat<i32> {
        self.view.scores()
    }

    fn ranks(&self) -> BySeat<u8> {
        self.view.ranks()
    }

    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        self.view.score_parts()
    }

    fn tie_break(&self, before: Seat, after: Seat) -> &'static str {
        self.view.tie_break(before, after)
    }

    fn headline(&self) -> String {
        self.view.headline()
    }

    fn holdings(&self) -> String {
        self.view.holdings()
    }

    fn question(&self) -> String {
        if self.owes { self.view.question() } else { String::new() }
    }

    fn sentence(&self, id: ActionId) -> String {
        action_words::sentence::<G>(&self.view, id)
    }

    fn targets(&self, id: ActionId) -> Vec<String> {
        action_words::targets::<G>(&self.view, id)
    }

    fn legend(&self) -> &'static str {
        G::View::LEGEND
    }

    fn uncounted(&self) -> Option<&'static str> {
        self.view.uncounted()
    }

    fn svg(&self, before: Option<&dyn AnyView>, scene: Scene<'_>) -> String {
        let before = before.map(|view| {
            let Self { view, .. } =
                (view as &dyn std::any::Any).downcast_ref().expect("an earlier view of the same game");
            assert_eq!(view.viewer(), self.view.viewer(), "an earlier view of the same viewer");
            view
        });
        self.view.svg(before, scene)
    }

    #[cfg(feature = "messages")]
    fn message(&self) -> Any {
        (self.rules.messages.observation)(&self.view)
    }
}

#[derive(Debug)]
struct ErasedEvent<G: Game> {
    event: G::Event,
    #[cfg_attr(not(feature = "messages"), expect(dead_code, reason = "the rules have the messages"))]
    rules: &'static Rules<G>,
}

impl<G: Game> AnyEvent for ErasedEvent<G> {
    fn is_visible_to(&self, viewer: Viewer) -> bool {
        self.event.visible_to(viewer).is_some()
    }

    fn text_for(&self, viewer: Viewer) -> Option<String> {
        self.event.visible_to(viewer).map(|visible| visible.to_string())
    }

    fn begins_turn(&self) -> bool {
        self.event.begins_turn()
    }

    #[cfg(feature = "messages")]
    fn message_for(&self, viewer: Viewer) -> Option<Any> {
        self.event.visible_to(viewer).map(|visible| (self.rules.messages.event)(&visible))
    }
}

/// Parses an outcome in its canonical spelling alone, so that a match has one record.
fn read_exactly<O: fmt::Display + FromStr<Err = ParseError>>(text: &str) -> Result<O, ParseError> {
    let outcome: O = text.parse()?;
    let written = outcome.to_string();
    let at = written.bytes().zip(text.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
    match written == text {
        true => Ok(outcome),
        false => Err(ParseError::new(at, format!("expected the spelling \"{written}\""))),
    }
}
