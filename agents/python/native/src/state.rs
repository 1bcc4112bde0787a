//! One game in Python's hands: `ahu.State`.
//!
//! A State holds a [`Position`], whose history a pickle plays again. The calls of a State hold the interpreter's lock, so the
//! calls of two threads on one State are made one after the other. `rollout` and `analyse` release the lock and play copies.
//! They start threads for each call, so that a forked process has all that it needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use ahu_core::{ActionId, Seat, SeatSet, Seed, Viewer};
use ahu_host::api::{ApiError, convert};
use ahu_host::{BotSeed, EventList, Ply, Position, Record, Scene, Setup, find, forfeited_last};
use ahu_messages::v1::ErrorReason;
use prost::Message as _;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};

use crate::observation::{Shape, StateEvent, StateObservation, helpers};
use crate::refusal::raised;
use crate::rollout::{Threads, bot_of, not_owed, reward_rule};
use crate::seed::SeedArgument;

/// One game, to be copied, changed, and looked at: see `_native.pyi`.
#[pyclass(module = "ahu")]
pub(crate) struct State {
    pub(crate) position: Position,
    shape: Arc<Shape>,
}

/// A ply as a pickle has it: the text of an outcome, or a seat and an action id.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum PickledPly {
    Outcome(String),
    Action(u8, u16),
}

/// The parts of a pickle: rules version, game, seats, options, seed, plies of the caller, plies, and fingerprint.
type Pickle = (u32, String, usize, BTreeMap<String, String>, Option<u64>, Vec<PickledPly>, u32, String);

#[pymethods]
impl State {
    /// The name of the game in the catalog.
    #[getter]
    fn game(&self) -> &'static str {
        self.setup().rules().info().id
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> usize {
        self.setup().seats().count()
    }

    /// Every option of the game with its value, by key.
    #[getter]
    fn options(&self) -> BTreeMap<String, String> {
        convert::options(&**self.setup())
    }

    /// The number of action ids: they run from 0 to `action_count` - 1 in every position.
    #[getter]
    fn action_count(&self) -> usize {
        self.setup().rules().action_count()
    }

    /// The seed of all chance; None if the caller settles it.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.position.seed().map(|seed| seed.0)
    }

    /// The number of plies so far: actions and chance outcomes.
    #[getter]
    fn plies(&self) -> u32 {
        self.position.plies()
    }

    /// The seats that have to decide, rising; none at the end, and while a chance event is due.
    #[getter]
    fn to_act<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.position.game().turn().to_act().iter().map(Seat::index).collect::<Vec<_>>())
    }

    /// True if a chance event is due, which `settle` settles. With a seed, chance settles by itself after each action;
    /// only a State from the middle of a record can stand before a chance event.
    #[getter]
    fn chance_due(&self) -> bool {
        self.position.is_chance_due()
    }

    /// True at the end of the game.
    #[getter]
    fn is_over(&self) -> bool {
        self.position.is_over()
    }

    /// True if the State keeps its plies, for `record` and pickles. Those of `new_game(history=False)`, `resample`, and
    /// `clone(seed)` keep none.
    #[getter]
    fn has_history(&self) -> bool {
        self.position.has_history()
    }

    /// Returns the ids of the legal actions, rising; none for a seat that owes no decision.
    #[pyo3(signature = (seat = None))]
    fn legal_ids(&self, py: Python<'_>, seat: Option<i64>) -> PyResult<Vec<u16>> {
        let seat = self.deciding(py, seat)?;
        Ok(seat.map_or_else(Vec::new, |seat| self.position.game().legal_actions(seat).iter().map(|id| id.0).collect()))
    }

    /// Returns the legal actions with id, text, and typed message, by rising id.
    #[pyo3(signature = (seat = None))]
    fn legal_actions<'py>(&self, py: Python<'py>, seat: Option<i64>) -> PyResult<Bound<'py, PyTuple>> {
        let Some(seat) = self.deciding(py, seat)? else { return Ok(PyTuple::empty(py)) };
        let (rules, seats) = (self.setup().rules(), self.setup().seats());
        let action_of = helpers(py)?.getattr("action_of")?;
        let action = |id| {
            let action = convert::action(rules, id, seat, seats, true).expect("a legal action has an id of the game");
            action_of.call1((PyBytes::new(py, &action.encode_to_vec()),))
        };
        PyTuple::new(py, self.position.game().legal_actions(seat).iter().map(action).collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the text of an action, legal or not, such as "meld F7".
    fn action_text(&self, py: Python<'_>, action_id: i64) -> PyResult<String> {
        let id = self.known_id(py, action_id)?;
        let text = self.setup().rules().action_text(id);
        text.ok_or_else(|| raised(py, &ApiError::no_such_action(id, self.action_count())))
    }

    /// Applies the action of a seat. With a seed, chance settles up to the next decision.
    #[pyo3(signature = (action, seat = None, events = None))]
    fn apply(
        &mut self,
        py: Python<'_>,
        action: &Bound<'_, PyAny>,
        seat: Option<i64>,
        events: Option<&Bound<'_, PyList>>,
    ) -> PyResult<()> {
        let id = self.action_id(py, action)?;
        let Some(seat) = self.deciding(py, seat)? else { return Err(raised(py, &self.nobody_decides())) };
        if self.position.is_chance_due() {
            return Err(raised(py, &self.nobody_decides()));
        }
        let Some(list) = events else {
            let played = self.position.play(seat, id);
            return played.map_err(|error| raised(py, &ApiError::not_played(error, id.0.into())));
        };
        let mut events = EventList::new();
        let played = self.position.play_with_events(seat, id, &mut events);
        played.map_err(|error| raised(py, &ApiError::not_played(error, id.0.into())))?;
        self.report(list, events)
    }

    /// Returns every outcome that the due chance event can have as text, with its probability; None if they are too many to
    /// list, or if no chance event is due.
    fn chance_outcomes(&self) -> Option<Vec<(String, f64)>> {
        self.position.game().outcomes()
    }

    /// Settles the due chance event, and returns the outcome as text.
    #[pyo3(signature = (outcome = None, seed = None, events = None))]
    fn settle(
        &mut self,
        py: Python<'_>,
        outcome: Option<String>,
        seed: Option<SeedArgument>,
        events: Option<&Bound<'_, PyList>>,
    ) -> PyResult<String> {
        let mut happened = EventList::new();
        let wrong = |message: String| raised(py, &ApiError::bad_field("outcome", message));
        if !self.position.is_chance_due() {
            return Err(wrong("expected a due chance event, got a position in which none is due".to_owned()));
        }
        let outcome = match (outcome, seed) {
            (Some(_), Some(_)) => return Err(wrong("expected an outcome or a seed, got both".to_owned())),
            (None, None) => {
                let drawn = self.position.settle_drawn(&mut happened);
                drawn.ok_or_else(|| {
                    wrong("expected an outcome or a seed, since the State has no seed; got neither".to_owned())
                })?
            }
            (outcome, seed) => {
                let drawn = || self.position.draw(seed.map_or(Seed(0), |seed| seed.0)).expect("a chance event is due");
                let outcome = outcome.unwrap_or_else(drawn);
                self.position.settle(&outcome, &mut happened).map_err(wrong)?;
                outcome
            }
        };
        if let Some(list) = events {
            self.report(list, happened)?;
        }
        Ok(outcome)
    }

    /// Returns what a seat is shown, in every form.
    #[pyo3(signature = (seat = None))]
    fn observation(&self, py: Python<'_>, seat: Option<i64>) -> PyResult<StateObservation> {
        let viewer = self.viewer(py, seat)?;
        Ok(StateObservation::new(&self.position, viewer, Arc::clone(&self.shape)))
    }

    /// Returns the table as a seat is shown it, as text: for people, or for language models.
    #[pyo3(signature = (seat = None, form = "table"))]
    fn text(&self, py: Python<'_>, seat: Option<i64>, form: &str) -> PyResult<String> {
        let view = self.position.game().view(self.viewer(py, seat)?);
        match form {
            "table" => Ok(view.text()),
            "compact" => Ok(view.compact()),
            "legend" => Ok(view.compact_legend()),
            _ => {
                let message = format!("expected table, compact, or legend, got \"{form}\"");
                Err(raised(py, &ApiError::bad_field("form", message)))
            }
        }
    }

    /// Returns the table as a seat is shown it, as a picture in SVG.
    #[pyo3(signature = (seat = None, before = None))]
    fn svg(&self, py: Python<'_>, seat: Option<i64>, before: Option<PyRef<'_, Self>>) -> PyResult<String> {
        let viewer = self.viewer(py, seat)?;
        let before = match before {
            Some(before) if **before.setup() != **self.setup() => {
                let message =
                    format!("expected an earlier State of {:?}, got one of {:?}", self.setup(), before.setup());
                return Err(raised(py, &ApiError::bad_field("before", message)));
            }
            before => before.map(|before| before.position.game().view(viewer)),
        };
        Ok(self.position.game().view(viewer).svg(before.as_deref(), Scene::default()))
    }

    fn _repr_svg_(&self) -> String {
        self.position.game().view(Viewer::Public).svg(None, Scene::default())
    }

    /// Returns the points by seat, as final scoring would give them now, as far as the viewer can count them. At the
    /// end all viewers count the same.
    #[pyo3(signature = (seat = None))]
    fn scores(&self, py: Python<'_>, seat: Option<i64>) -> PyResult<Vec<i32>> {
        Ok(self.position.game().view(self.viewer(py, seat)?).scores().values().to_vec())
    }

    /// Returns the ranks by seat, as far as the viewer can tell: 1 is first, and ties share (1, 1, 3). Seats that have
    /// forfeited share the last rank.
    #[pyo3(signature = (seat = None, *, forfeited = Vec::new()))]
    fn ranks(&self, py: Python<'_>, seat: Option<i64>, forfeited: Vec<i64>) -> PyResult<Vec<u32>> {
        let ranks = self.position.game().view(self.viewer(py, seat)?).ranks();
        Ok(convert::list(&forfeited_last(ranks, self.seat_set(py, &forfeited)?), u32::from))
    }

    /// Returns the return of each seat by a reward rule, by the scores and ranks that the viewer sees now. Seats that have
    /// forfeited share the last rank.
    #[pyo3(signature = (rewards = "rank", seat = None, *, forfeited = Vec::new()))]
    fn returns(&self, py: Python<'_>, rewards: &str, seat: Option<i64>, forfeited: Vec<i64>) -> PyResult<Vec<f32>> {
        let rule = reward_rule(py, rewards)?;
        let view = self.position.game().view(self.viewer(py, seat)?);
        let ranks = forfeited_last(view.ranks(), self.seat_set(py, &forfeited)?);
        Ok(rule.returns(&view.scores(), &ranks).values().to_vec())
    }

    /// Returns a copy, which can go on differently.
    #[pyo3(signature = (seed = None))]
    fn clone(&self, seed: Option<SeedArgument>) -> Self {
        let position = match seed {
            None => self.position.clone(),
            Some(seed) => self.position.reseeded(seed.0),
        };
        self.with(position)
    }

    fn __copy__(&self) -> Self {
        self.clone(None)
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Self {
        // Nothing in it is shared that can change.
        let _ = memo;
        self.clone(None)
    }

    /// Returns a State that the seat could be in: the facts that are hidden from it are random.
    fn resample(&self, py: Python<'_>, seat: i64, seed: SeedArgument) -> PyResult<Self> {
        let viewer = self.viewer(py, Some(seat))?;
        let resampled = self.position.resample(viewer, seed.0);
        let game = self.position.setup().rules().info().id;
        let fault =
            || PyNotImplementedError::new_err(format!("the game {game} cannot be resampled: it has no `RESAMPLE`"));
        Ok(self.with(resampled.ok_or_else(fault)?))
    }

    /// Returns the id of the action that a bot chooses, as in a match with this seed: see `_native.pyi`.
    fn _bot_choice(&self, py: Python<'_>, seat: i64, bot: &str, decision: u32) -> PyResult<u16> {
        let (seat, bot) = (self.seat(py, seat)?, bot_of(py, &self.position, bot)?);
        if !self.position.game().turn().to_act().contains(seat) {
            return Err(raised(py, &not_owed(&self.position, seat)));
        }
        let bot_seed = BotSeed::new(self.position.seed().unwrap_or(Seed(0)), 0);
        let choice = self.position.game().bot_choice(bot, seat, bot_seed.rng(seat, decision));
        // A thread for Ctrl-C costs more than the choice of a policy.
        Ok(if bot.budget().is_none() { choice() } else { Threads::new(Some(1))?.run(py, choice)? }.0)
    }

    /// Returns the full name of a bot of the game.
    fn _bot(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        bot_of(py, &self.position, name).map(|bot| bot.to_string())
    }

    /// Returns 16 hexadecimal digits that are the same for equal states, on every platform.
    fn fingerprint(&self) -> String {
        self.position.game().fingerprint().to_string()
    }

    /// Returns the game so far as a record, in its binary form, with all secrets. `ahu replay` shows it.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let record = self.position.record().ok_or_else(|| {
            let got = if self.position.seed().is_none() { "no seed" } else { "no history" };
            let message = format!("expected a State with a seed and a history, which a record states; got {got}");
            PyValueError::new_err(message)
        })?;
        Ok(PyBytes::new(py, &record.to_bytes()))
    }

    /// Returns the State of a record, with the record's seed.
    #[classmethod]
    #[pyo3(signature = (record, at_ply = None))]
    fn from_record(cls: &Bound<'_, PyType>, record: &Bound<'_, PyAny>, at_ply: Option<i64>) -> PyResult<Self> {
        let py = cls.py();
        let bytes = if let Ok(bytes) = record.cast::<PyBytes>() {
            bytes.as_bytes().to_vec()
        } else if let Ok(text) = record.cast::<PyString>() {
            text.to_str()?.as_bytes().to_vec()
        } else {
            let kind = record.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a record as bytes or str, got {kind}")));
        };
        let wrong = |field, message: String| raised(py, &ApiError::bad_field(field, message));
        let record = Record::read(&bytes).map_err(|error| wrong("record", error.to_string()))?;
        let most = record.plies();
        let plies = at_ply.map_or(Ok(most), |ply| {
            let known = usize::try_from(ply).ok().filter(|&ply| ply <= most);
            known.ok_or_else(|| wrong("at_ply", format!("expected a ply from 0 to {most}, got {ply}")))
        })?;
        let position = Position::from_record(&record, plies).map_err(|error| wrong("record", error.to_string()))?;
        Ok(Self::of(position))
    }

    /// Returns a State that the seat of a view could be in: see `_native.pyi`.
    #[classmethod]
    #[pyo3(signature = (view, seed, *, chance = "seed"))]
    fn from_view(cls: &Bound<'_, PyType>, view: &[u8], seed: SeedArgument, chance: &str) -> PyResult<Self> {
        let wrong = |message: String| raised(cls.py(), &ApiError::bad_field("view", message));
        let (position, _) = Position::from_view(view, seed.0).map_err(wrong)?;
        match chance {
            "seed" => Ok(Self::of(position)),
            "caller" => Ok(Self::of(position.unseeded())),
            _ => Err(PyValueError::new_err(format!("expected chance=\"seed\" or \"caller\", got {chance:?}"))),
        }
    }

    /// Returns all that the seat knows, as bytes.
    #[pyo3(signature = (seat = None))]
    fn view<'py>(&self, py: Python<'py>, seat: Option<i64>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.position.game().view_bytes(self.viewer(py, seat)?);
        bytes.map(|bytes| PyBytes::new(py, &bytes)).ok_or_else(|| match self.position.is_chance_due() {
            true => raised(py, &self.nobody_decides()),
            false => PyNotImplementedError::new_err(format!("the game {} has no `VIEW_BYTES`", self.game())),
        })
    }

    fn __getattr__(slf: Bound<'_, Self>, name: &str) -> PyResult<()> {
        let error = slf.py().import("ahu._hints")?.getattr("no_attribute")?.call1(("State", name, slf))?;
        Err(PyErr::from_value(error))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickle)> {
        let history = self.position.history().ok_or_else(|| {
            PyValueError::new_err("expected a State with a history, from which a pickle is made; got one without")
        })?;
        let ply = |ply| match ply {
            Ply::Action { seat, id } => PickledPly::Action(seat.index() as u8, id.0),
            Ply::Outcome(outcome) => PickledPly::Outcome(outcome.into()),
        };
        let parts = (
            self.setup().rules().info().rules,
            self.game().to_owned(),
            self.seats(),
            self.options(),
            self.seed(),
            history.into_iter().map(ply).collect(),
            self.plies(),
            self.fingerprint(),
        );
        Ok((py.import("ahu")?.getattr("restore_state")?, parts))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (game, seats, plies, to_act) = (self.game(), self.seats(), self.plies(), self.to_act(py)?.repr()?);
        Ok(format!("State(game='{game}', seats={seats}, plies={plies}, to_act={to_act})"))
    }

    fn __str__(&self) -> String {
        self.position.game().view(Viewer::Public).text()
    }

    /// Returns the bytes of a clone, without the plies that it shares.
    fn __sizeof__(&self) -> usize {
        // The head of an object has its count of references and its type.
        self.position.size() + size_of::<Arc<Shape>>() + 2 * size_of::<usize>()
    }
}

impl State {
    pub(crate) fn of(position: Position) -> Self {
        let shape = Arc::new(Shape::of(position.setup().rules()));
        Self { position, shape }
    }

    /// Returns a State of the same game in another position.
    pub(crate) fn with(&self, position: Position) -> Self {
        Self { position, shape: Arc::clone(&self.shape) }
    }

    fn setup(&self) -> &Setup {
        self.position.setup()
    }

    /// Returns the seat that is asked for, or else the first that has to decide; None if nobody has to.
    pub(crate) fn deciding(&self, py: Python<'_>, seat: Option<i64>) -> PyResult<Option<Seat>> {
        match seat {
            Some(seat) => self.seat(py, seat).map(Some),
            None => Ok(self.position.game().turn().to_act().first()),
        }
    }

    fn viewer(&self, py: Python<'_>, seat: Option<i64>) -> PyResult<Viewer> {
        seat.map_or(Ok(Viewer::Public), |seat| self.seat(py, seat).map(Viewer::Seat))
    }

    fn seat(&self, py: Python<'_>, seat: i64) -> PyResult<Seat> {
        let found = usize::try_from(seat).ok().and_then(|seat| self.setup().seats().get(seat));
        found.ok_or_else(|| raised(py, &ApiError::unknown_seat(Some(seat), self.seats())))
    }

    fn seat_set(&self, py: Python<'_>, seats: &[i64]) -> PyResult<SeatSet> {
        seats.iter().map(|&seat| self.seat(py, seat)).collect()
    }

    /// Returns the error for an action while no seat has to decide.
    pub(crate) fn nobody_decides(&self) -> ApiError {
        match self.position.is_chance_due() {
            true => {
                let message = "a chance event is due: settle it before the next action";
                ApiError::new(ErrorReason::NotYourDecision, message).with("to_act", "")
            }
            false => ApiError::new(ErrorReason::MatchEnded, "the game is over").with("state", "FINISHED"),
        }
    }

    /// Reads an action: an id, a text, or an object with an id, such as an `ahu.Action`.
    fn action_id(&self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<ActionId> {
        if let Ok(id) = action.extract::<i64>() {
            return self.known_id(py, id);
        }
        if let Ok(text) = action.cast::<PyString>() {
            let parsed = self.setup().rules().parse_action(text.to_str()?);
            return parsed.map_err(|error| raised(py, &ApiError::bad_text(&error)));
        }
        if let Ok(id) = action.getattr("id").and_then(|id| id.extract::<i64>()) {
            return self.known_id(py, id);
        }
        let (kind, shown) = (action.get_type().name()?, action.repr()?);
        Err(PyTypeError::new_err(format!(
            "expected an action as an id, a text, or an ahu.Action, got {shown} ({kind})"
        )))
    }

    /// Returns an id that an action may have.
    fn known_id(&self, py: Python<'_>, id: i64) -> PyResult<ActionId> {
        let known = u16::try_from(id).map(ActionId);
        known.map_err(|_| raised(py, &ApiError::no_such_action(id, self.action_count())))
    }

    fn report(&self, list: &Bound<'_, PyList>, events: EventList) -> PyResult<()> {
        let (seats, actors) = (self.setup().seats(), self.position.actors());
        let mut events = events.into_iter().map(|event| StateEvent::new(event, seats, actors));
        events.try_for_each(|event| list.append(Bound::new(list.py(), event)?))
    }
}

fn setup_of(py: Python<'_>, game: &str, seats: usize, options: &BTreeMap<String, String>) -> PyResult<Setup> {
    let rules = find(game).map_err(|error| raised(py, &error.into()))?;
    let given: Vec<_> = options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    rules.configure(seats, &given).map_err(|error| raised(py, &error.into()))
}

/// Creates a game; options are texts by key. Without a seed, the caller settles chance.
#[pyfunction]
pub(crate) fn new_state(
    py: Python<'_>,
    game: &str,
    seats: usize,
    options: BTreeMap<String, String>,
    seed: Option<SeedArgument>,
    history: bool,
) -> PyResult<State> {
    let setup = setup_of(py, game, seats, &options)?;
    Ok(State::of(Position::new(setup, seed.map(|seed| seed.0), history)))
}

/// Returns the State of a pickle: see `Pickle`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a pickle has these parts")]
pub(crate) fn restore_state(
    py: Python<'_>,
    rules_version: u32,
    game: &str,
    seats: usize,
    options: BTreeMap<String, String>,
    seed: Option<u64>,
    plies: Vec<PickledPly>,
    count: u32,
    fingerprint: &str,
) -> PyResult<State> {
    let setup = setup_of(py, game, seats, &options)?;
    let ours = setup.rules().info().rules;
    let wrong = |message: String| raised(py, &ApiError::bad_field("state", message));
    if rules_version != ours {
        let message =
            format!("expected a State of {game} under rules version {ours}, got rules version {rules_version}");
        return Err(wrong(message));
    }
    let ply = |ply| match ply {
        PickledPly::Action(seat, id) => match setup.seats().get(usize::from(seat)) {
            Some(seat) => Ok(Ply::Action { seat, id: ActionId(id) }),
            None => Err(raised(py, &ApiError::unknown_seat(Some(seat), seats))),
        },
        PickledPly::Outcome(outcome) => Ok(Ply::Outcome(outcome.into())),
    };
    let plies: Vec<Ply> = plies.into_iter().map(ply).collect::<PyResult<_>>()?;
    let position = Position::replay(setup, seed.map(Seed), &plies, count).map_err(|error| wrong(error.to_string()))?;
    let reached = position.game().fingerprint().to_string();
    match reached == fingerprint {
        true => Ok(State::of(position)),
        false => Err(wrong(format!("expected the fingerprint {reached} after the plies, got {fingerprint}"))),
    }
}
