//! Looks at a position: the wishes of a request, and the fields of an answer.

use std::cell::LazyCell;

use ahu_core::{ActionId, BySeat, Seed, Viewer};
use ahu_host::api::convert;
use ahu_host::search::Budget;
use ahu_host::{Cores, Position, ensure};
use ahu_service::proto::MessageJson;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::base::seat_of;
use crate::arguments::players::search;
use crate::output::analysis_table::analysis_json;

/// The wishes of a request.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of a request")]
pub(super) struct Want {
    /// The seat that looks and decides; absent: the first that has to decide, and the public where none has.
    seat: Option<usize>,
    legal_ids: bool,
    legal: bool,
    text: bool,
    compact: bool,
    compact_legend: bool,
    typed: bool,
    tensor: bool,
    view: bool,
    scores: bool,
    ranks: bool,
    outcomes: bool,
    fingerprint: bool,
    /// Each legal action, with what is wanted of the position after it.
    children: Option<Box<Self>>,
    rollout: Option<RolloutWanted>,
    analysis: Option<AnalysisWanted>,
}

/// The most games of a rollout, so that an answer fits into a line of some MiB.
const MAX_GAMES: u32 = 10_000;

/// Games to the end, with a bot in all seats.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RolloutWanted {
    bot: String,
    #[serde(default = "one")]
    games: u32,
    /// The seed of the first game, of chance and bots; absent: that of the position, or 0. The next games have the next seeds.
    seed: Option<Seed>,
}

/// The figures of a search for each legal action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalysisWanted {
    bot: String,
    seed: Option<Seed>,
}

fn one() -> u32 {
    1
}

/// A position in an answer, as an object of JSON.
#[derive(Default)]
pub(super) struct Look(Map<String, Value>);

impl Look {
    /// Looks at a position as a request wants it.
    pub(super) fn at(position: &Position, want: &Want) -> Result<Self, String> {
        let (game, setup, mut look) = (position.game(), position.setup(), Self::default());
        let to_act = game.turn().to_act();
        let seat = match want.seat {
            Some(index) => Some(seat_of(position, index)?),
            None => to_act.first(),
        };
        let viewer = seat.map_or(Viewer::Public, Viewer::Seat);
        let decider = seat.filter(|&seat| to_act.contains(seat));
        let legal = || decider.map_or_else(Vec::new, |seat| game.legal_actions(seat).iter().collect());
        let action = |id: ActionId| json!({"action_id": id.0, "text": setup.rules().action_text(id)});
        let view = LazyCell::new(|| game.view(viewer));
        let encoded = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
        let tensor = || {
            let tensor = convert::tensor(setup.rules(), &**view);
            json!({"bits": encoded(&tensor.bits), "numbers": encoded(&tensor.numbers)})
        };
        let fields: [(&str, bool, &dyn Fn() -> Value); 15] = [
            ("to_act", true, &|| json!(convert::seats(to_act))),
            ("over", true, &|| json!(position.is_over())),
            ("chance_due", position.is_chance_due(), &|| json!(true)),
            ("legal_ids", want.legal_ids, &|| legal().into_iter().map(|id| id.0).collect()),
            ("legal", want.legal, &|| legal().into_iter().map(action).collect()),
            ("outcomes", want.outcomes, &|| json!(game.outcomes())),
            ("fingerprint", want.fingerprint, &|| json!(game.fingerprint().to_string())),
            ("view", want.view, &|| json!(game.view_bytes(viewer).as_deref().map(encoded))),
            ("text", want.text, &|| json!(view.text())),
            ("compact", want.compact, &|| json!(view.compact())),
            ("compact_legend", want.compact_legend, &|| json!(view.compact_legend())),
            ("typed", want.typed, &|| json!(MessageJson::of(&view.message()))),
            ("tensor", want.tensor, &tensor),
            ("scores", want.scores, &|| json!(view.scores().values())),
            ("ranks", want.ranks, &|| json!(view.ranks().values())),
        ];
        for (name, _, value) in fields.iter().filter(|(_, is_wanted, _)| *is_wanted) {
            look.put(name, value());
        }
        if let Some(of_children) = &want.children {
            let mut children = Vec::new();
            if let Some(seat) = decider {
                position.children(seat, |id, child| {
                    children.push(Self::at(&child, of_children).map(|mut look| {
                        look.put("action_id", json!(id.0));
                        look.json()
                    }));
                });
            }
            look.put("children", children.into_iter().collect::<Result<_, _>>()?);
        }
        let bot_of = |name: &str| {
            let bot = setup.rules().bot(name).map_err(|error| error.message.into_owned())?;
            ensure(!matches!(bot.budget(), Some(Budget::Time(_))), || {
                format!("bot: expected a budget of playouts, with which a request has one answer, got \"{bot}\"")
            })?;
            Ok::<_, String>(bot)
        };
        if let Some(RolloutWanted { bot, games, seed }) = &want.rollout {
            let bot = bot_of(bot)?;
            ensure((1..=MAX_GAMES).contains(games), || format!("games: expected 1 to {MAX_GAMES}, got {games}"))?;
            let seed = seed.or(position.seed()).unwrap_or(Seed(0));
            let played = (0..*games).map(|index| game.play_out(bot, seed.plus(index)));
            let of = |(scores, ranks): (BySeat<i32>, BySeat<u8>)| (scores.values().to_vec(), ranks.values().to_vec());
            let (scores, ranks): (Vec<_>, Vec<_>) = played.map(of).unzip();
            look.put("rollout", json!({"scores": scores, "ranks": ranks}));
        }
        if let Some(AnalysisWanted { bot, seed }) = &want.analysis {
            let bot = bot_of(&search(setup.rules(), bot)?.to_string())?;
            let analyse = decider.and_then(|seat| position.analysis(bot, seat, seed.unwrap_or(Seed(0))));
            let analyse = analyse
                .ok_or_else(|| format!("analysis: expected a seat that has to decide; seats to act: {to_act}"))?;
            look.put("analysis", analysis_json(setup.rules(), setup.seats(), &analyse(Cores::CallersPool)));
        }
        Ok(look)
    }

    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Returns the look as an object of JSON.
    pub(super) fn json(self) -> Value {
        Value::Object(self.0)
    }
}
