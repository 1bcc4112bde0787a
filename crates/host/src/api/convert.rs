//! Types of the host as messages. The code that uses a request reads it and checks each field; all read seats alike.

use std::collections::BTreeMap;

use ahu_core::{
    ActionFeature, ActionFeatures, ActionGroup, ActionId, ActionSet, BySeat, Field, FieldKind, Layout, OptionKind,
    Seat, SeatSet, Seats,
};
use ahu_messages::v1::run_response::Refused;
use ahu_messages::v1::{self, TableFormat, game_option};
use prost::bytes::Bytes;
use prost_types::Duration;

use super::api_error::ApiError;
use crate::{AnyRules, AnySetup, AnyView, BotName, DataFile, Episode, OptionInfo, Scene, layout_hash, rules_page};

/// The refusal of one request within a stream, which goes on.
impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self {
            code: error.code() as i32,
            reason: error.reason.reason().to_owned(),
            message: error.message(),
            retry_delay: error.retry_ms().map(duration),
            field: error.field.unwrap_or_default().to_owned(),
            metadata: error.metadata.into_iter().collect(),
        }
    }
}

/// Returns a time in milliseconds as a message.
pub fn duration(milliseconds: u32) -> Duration {
    Duration { seconds: (milliseconds / 1000).into(), nanos: (milliseconds % 1000) as i32 * 1_000_000 }
}

/// Returns the summary of a game for the list of games.
pub fn summary(rules: &dyn AnyRules) -> v1::GameSummary {
    let info = rules.info();
    let seats = rules.seats();
    v1::GameSummary {
        game: info.id.to_owned(),
        title: info.title.to_owned(),
        rules_version: info.rules,
        min_seats: *seats.start() as u32,
        max_seats: *seats.end() as u32,
        about: info.about.to_owned(),
        credit: info.credit.to_owned(),
        reconstructed: info.reconstructed.to_owned(),
    }
}

/// Returns everything that the catalog says about a game.
pub fn game(rules: &dyn AnyRules) -> v1::Game {
    let mut first_id = 0;
    let groups = rules.action_groups().iter().map(|group| {
        let first = first_id;
        first_id += group.count as u32;
        v1::ActionGroup {
            first_id: first,
            count: group.count as u32,
            pattern: group.pattern.to_owned(),
            meaning: group.meaning.to_owned(),
        }
    });
    let bots = rules.bots().into_iter();
    let messages = rules.message_names();
    v1::Game {
        summary: Some(summary(rules)),
        options: rules.options().into_iter().map(option).collect(),
        action_count: rules.action_count() as u32,
        action_groups: groups.collect(),
        layout: Some(layout(&rules.layout())),
        bots: bots.map(|(name, about)| v1::Bot { name: name.to_owned(), about: about.to_owned() }).collect(),
        max_plies: rules.info().max_plies as u32,
        observation_message: messages.observation,
        action_message: messages.action,
        event_message: messages.event,
        rules: rules_page(rules),
        data_files: rules.data_files().into_iter().map(data_file).collect(),
        seat_colours: rules.info().seat_colours.iter().map(|&colour| colour.to_owned()).collect(),
        action_features: Some(action_features(rules.action_groups())),
    }
}

fn action_features(groups: &[ActionGroup]) -> v1::ActionFeatures {
    let ActionFeatures { kinds, pieces, places, actions } = ActionFeatures::of(groups);
    let column = |of: fn(&ActionFeature) -> i16| actions.iter().map(|action| of(action).into()).collect();
    v1::ActionFeatures {
        kind: column(|action| action.kind),
        piece: column(|action| action.piece),
        place: column(|action| action.place),
        number: column(|action| action.number),
        opponent: column(|action| action.opponent),
        kinds,
        pieces,
        places,
    }
}

fn data_file(file: DataFile) -> v1::DataFile {
    v1::DataFile { name: file.name.to_owned(), about: file.about.to_owned(), content: Some(file.content) }
}

/// Returns the names of the data files of a setup.
pub fn data_files(setup: &dyn AnySetup) -> Vec<String> {
    setup.data_files().into_iter().map(str::to_owned).collect()
}

/// Returns the options of a setup, by key.
pub fn options(setup: &dyn AnySetup) -> BTreeMap<String, String> {
    setup.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn option(option: OptionInfo) -> v1::GameOption {
    let kind = match option.kind {
        OptionKind::Flag => game_option::Kind::Flag(game_option::Flag {}),
        OptionKind::Choice(words) => game_option::Kind::Choice(game_option::Choice {
            values: words.iter().map(|&word| word.to_owned()).collect(),
        }),
        OptionKind::Number { min, max } => {
            game_option::Kind::Number(game_option::Number { min: min.into(), max: max.into() })
        }
    };
    v1::GameOption {
        key: option.key.to_owned(),
        meaning: option.meaning.to_owned(),
        defaults: option.defaults,
        kind: Some(kind),
    }
}

/// Returns the layout of observations.
pub fn layout(layout: &Layout) -> v1::Layout {
    let bits = layout.bits.iter().map(|(offset, field_)| field(v1::TensorBlock::Bits, *offset, field_));
    let numbers = layout.numbers.iter().map(|(offset, field_)| field(v1::TensorBlock::Numbers, *offset, field_));
    v1::Layout {
        bit_count: layout.bit_count() as u32,
        number_count: layout.number_count() as u32,
        fields: bits.chain(numbers).collect(),
        hash: layout.hash().to_vec().into(),
    }
}

fn field(block: v1::TensorBlock, offset: usize, field: &Field) -> v1::LayoutField {
    let kind = match field.kind {
        FieldKind::Flags => v1::LayoutFieldKind::Flags,
        FieldKind::OneHot => v1::LayoutFieldKind::OneHot,
        FieldKind::Thermometer => v1::LayoutFieldKind::Thermometer,
        FieldKind::Binary => v1::LayoutFieldKind::Binary,
        FieldKind::Numbers => v1::LayoutFieldKind::Numbers,
    };
    v1::LayoutField {
        name: field.name.to_owned(),
        block: block.into(),
        kind: kind.into(),
        shape: field.shape.iter().map(|&length| length as u32).collect(),
        axis: field.axis as u32,
        offset: offset as u32,
        min: field.min.into(),
        max: field.max.into(),
        seat_relative: field.by_seat,
        meaning: field.meaning.to_owned(),
        values: field.values.iter().map(|&name| name.to_owned()).collect(),
        values_axis: field.values_axis as u32,
    }
}

/// Returns the table in a form of text; None for pixels.
pub fn table(view: &dyn AnyView, form: TableFormat) -> Option<String> {
    match form {
        TableFormat::Unspecified | TableFormat::Text => Some(view.text()),
        TableFormat::Compact => Some(view.compact()),
        TableFormat::CompactLegend => Some(view.compact_legend()),
        TableFormat::Svg => Some(view.svg(None, Scene::default())),
        TableFormat::Png => None,
    }
}

/// Returns an action in its forms; None if no action has this id.
pub fn action(rules: &dyn AnyRules, id: ActionId, seat: Seat, seats: Seats, typed: bool) -> Option<v1::Action> {
    let text = rules.action_text(id)?;
    let typed = if typed { rules.action_message(id, seat, seats) } else { None };
    Some(v1::Action { action_id: Some(id.0.into()), text, typed })
}

/// Returns the summary of an episode that has ended.
pub fn episode(episode: &Episode) -> v1::Episode {
    v1::Episode {
        environment: episode.environment,
        seed: episode.seed.0,
        decision_count: episode.decisions,
        bots: list(&episode.bots, |bot| bot.map_or_else(String::new, BotName::name)),
        scores: list(&episode.scores, |score| score),
        ranks: list(&episode.ranks, u32::from),
        returns: list(&episode.returns, |value| value),
        truncated: episode.is_truncated,
    }
}

/// Returns the two blocks of an observation, little-endian.
pub fn tensor(rules: &dyn AnyRules, view: &dyn AnyView) -> v1::Tensor {
    let (bit_count, number_count) = rules.observation_size();
    let mut bits = vec![0_u64; bit_count.div_ceil(64)];
    let mut numbers = vec![0_i16; number_count];
    view.write(&mut bits, &mut numbers);
    v1::Tensor {
        bits: words(&bits),
        numbers: numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        layout_hash: Bytes::copy_from_slice(&layout_hash(rules)),
    }
}

/// Returns a set of actions as a mask: one bit for each id, in words of 64, little-endian.
pub fn mask(legal: &ActionSet) -> Bytes {
    words(legal.words())
}

fn words(words: &[u64]) -> Bytes {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Reads the number of a seat.
pub fn read_seat(seat: Option<u32>, seats: Seats) -> Result<Seat, ApiError> {
    let found = seat.and_then(|seat| seats.get(seat as usize));
    found.ok_or_else(|| ApiError::unknown_seat(seat, seats.count()))
}

/// Returns the numbers of seats.
pub fn seats(seats: SeatSet) -> Vec<u32> {
    seats.iter().map(|seat| seat.index() as u32).collect()
}

/// Returns a value for each seat, in the order of seats.
pub fn list<T: Copy, U>(values: &BySeat<T>, of: impl Fn(T) -> U) -> Vec<U> {
    values.values().iter().map(|&value| of(value)).collect()
}
