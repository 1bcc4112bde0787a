//! The actions, their ids and their grammar.

use std::fmt;
use std::str::FromStr;

use super::board::{Area, Space};
use super::counts::{Kind, named};
use super::improvement::Improvement;
use super::moai::Size;
use super::offering::Offering;
use super::payment::Payment;
use super::power::{Means, Power};
use super::resource::{Resource, Resources};
use super::tile::Tile;
use crate::core::parse::{did_you_mean, number, words};
use crate::core::{self, ActionGroup, ActionId, ParseError};

/// One decision of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Phase 1: place a Villager on a space, as a Transporter.
    PlaceTransporter(Space),
    /// Phase 1: place a Villager in a column of the Moai Quarry, as a Sculptor.
    PlaceSculptor(Size),
    /// Phase 1: place the Sorcerer on a star space.
    PlaceSorcerer(Star),
    /// Phase 1, or in phase 2 before sculpting: place the Chief below a column of the Moai Quarry.
    PlaceChief(Size),
    /// The player's turn: buy an Improvement tile.
    Improve(Improvement),
    /// The player's turn: play an Ahu tile, or the tablet in its place.
    Play(Means, Power),
    /// Phase 2: sculpt a Moai.
    Sculpt(Size),
    /// Phase 2: sculpt no more.
    SculptDone,
    /// Phase 3: begin to transport this cargo.
    Transport(Cargo),
    /// Phase 3: drop out.
    DropOut,
    /// Phase 3: end the turn after a transport.
    EndTurn,
    /// Transport: step to an adjacent area.
    Step(Area),
    /// Transport of a Moai: erect it here, on the ahu of a tile of this kind.
    Erect(Tile),
    /// Transport of a Pukao: style a Moai here.
    Style,
    /// Toll on a space with two colours: earn this Resource.
    Toll(Resource),
    /// Gain of a Moai: take Resources in the colour shown.
    GainShown,
    /// Gain of a Moai with Fervent: take the next-higher Resource.
    GainShifted,
    /// Gain of a Moai on a space with two colours: take this number in the first colour.
    GainFirst(u8),
    /// Exchange: pay only two Resources, by tile or tablet.
    Skimp(Means),
    /// Exchange: take a tile of this type, from its stack or from the Outstanding ones.
    Offer(Offering, Source),
    /// Exchange: hand in these Resources.
    Pay(Payment),
    /// Setup with two players: take a tile of this kind.
    Draft(Tile),
}

/// The object of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cargo {
    /// A Moai of this size, from the Crater.
    Moai(Size),
    /// A Pukao, from the Pukao Quarry.
    Pukao,
}

impl Cargo {
    /// The number of cargoes.
    pub const COUNT: usize = Size::COUNT + 1;

    /// Returns the index of the cargo: small, medium, large Moai, Pukao.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Moai(size) => size as usize,
            Self::Pukao => Size::COUNT,
        }
    }

    /// Returns the cargo with this index: small, medium, large Moai, Pukao; None if there is none.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        match Size::new(index) {
            Some(size) => Some(Self::Moai(size)),
            None if index == Size::COUNT => Some(Self::Pukao),
            None => None,
        }
    }

    /// Returns the quarry in which a transport of this cargo begins.
    #[inline]
    pub const fn quarry(self) -> Area {
        match self {
            Self::Moai(_) => Area::CRATER,
            Self::Pukao => Area::PUKAO_QUARRY,
        }
    }
}

/// Writes `small`, `medium`, `large`, or `pukao`.
impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moai(size) => size.fmt(f),
            Self::Pukao => f.pad("pukao"),
        }
    }
}

impl FromStr for Cargo {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        (0..Self::COUNT)
            .filter_map(Self::new)
            .find(|cargo| cargo.to_string() == text)
            .ok_or_else(|| ParseError::new(0, format!("expected small, medium, large, or pukao, got \"{text}\"")))
    }
}

/// The place from which an Offering tile is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The top of the stack.
    Stack,
    /// The Outstanding Offering tiles beside the stack; the best is taken.
    Outstanding,
}

named!(Source, "source", [Stack "stack", Outstanding "outstanding"]);

/// The index of a type and a source: both sources of a type are adjacent.
impl Kind for (Offering, Source) {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize * Source::COUNT + self.1 as usize
    }
}

/// A star space of the turn order track. Texts count from 1, the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Star(u8);

impl Star {
    /// The largest number of star spaces on a turn order track.
    pub const COUNT: usize = 6;
    /// The first star space.
    pub const FIRST: Self = Self(0);

    /// Returns the star space with this index, from 0; None if there is none.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Returns the index of the star space, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Kind for Star {
    #[inline]
    fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for Star {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Star {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let stars = (0..Self::COUNT).filter_map(Self::new);
        stars.into_iter().find(|star| star.to_string() == text).ok_or_else(|| {
            ParseError::new(0, format!("expected a star space from 1 to {}, got \"{text}\"", Self::COUNT))
        })
    }
}

/// The largest number of Resources for one Moai: five for a large one, ten for all of Take Two More and Take Three
/// More, three for a tablet.
pub const MAX_GAIN: u8 = 18;

pub(super) const TRANSPORTER: ActionId = ActionId(0);
pub(super) const SCULPTOR: ActionId = after(TRANSPORTER, Space::COUNT);
pub(super) const SORCERER: ActionId = after(SCULPTOR, Size::COUNT);
const CHIEF: ActionId = after(SORCERER, Star::COUNT);
pub(super) const IMPROVE: ActionId = after(CHIEF, Size::COUNT);
pub(super) const TILE: ActionId = after(IMPROVE, Improvement::COUNT);
/// The powers of tiles from the second word of [`Powers`](super::Powers) on.
pub(super) const TILE_REST: ActionId = after(TILE, 64);
pub(super) const TABLET: ActionId = after(TILE, Power::COUNT);
/// The powers of tablets from the second word on.
pub(super) const TABLET_REST: ActionId = after(TABLET, 64);
const SCULPT: ActionId = after(TABLET, Power::COUNT);
const SCULPT_DONE: ActionId = after(SCULPT, Size::COUNT);
pub(super) const TRANSPORT: ActionId = after(SCULPT_DONE, 1);
const DROP_OUT: ActionId = after(TRANSPORT, Cargo::COUNT);
const END_TURN: ActionId = after(DROP_OUT, 1);
pub(super) const STEP: ActionId = after(END_TURN, 1);
pub(super) const ERECT: ActionId = after(STEP, Area::COUNT);
const STYLE: ActionId = after(ERECT, Tile::COUNT);
const TOLL: ActionId = after(STYLE, 1);
const GAIN_SHOWN: ActionId = after(TOLL, Resource::COUNT);
const GAIN_SHIFTED: ActionId = after(GAIN_SHOWN, 1);
pub(super) const GAIN_FIRST: ActionId = after(GAIN_SHIFTED, 1);
const SKIMP: ActionId = after(GAIN_FIRST, MAX_GAIN as usize + 1);
pub(super) const OFFER: ActionId = after(SKIMP, Means::COUNT);
pub(super) const PAY: ActionId = after(OFFER, Offering::COUNT * Source::COUNT);
pub(super) const DRAFT: ActionId = after(PAY, Payment::COUNT);
const END: ActionId = after(DRAFT, Tile::COUNT);

/// Returns the first id after a run of `count` ids that begins at `first`.
const fn after(first: ActionId, count: usize) -> ActionId {
    ActionId(first.0 + count as u16)
}

impl core::Action for Action {
    const COUNT: usize = END.index();
    const GROUPS: &'static [ActionGroup] = &[
        ActionGroup {
            pattern: "transporter <space>",
            count: Space::COUNT,
            meaning: "Phase 1: place a Villager on a space, 1 to 27.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "sculptor <column>",
            count: Size::COUNT,
            meaning: "Phase 1: place a Villager in a column of the Moai Quarry: small, medium, large.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "sorcerer <star>",
            count: Star::COUNT,
            meaning: "Phase 1: place the Sorcerer on a star space, 1 to 6.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "chief <column>",
            count: Size::COUNT,
            meaning: "Phase 1, or in phase 2 before sculpting: place the Chief below a column of the Moai Quarry: \
                      small, medium, large.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "improve <tile>",
            count: Improvement::COUNT,
            meaning: "In your turn: buy an Improvement tile: fervent, artistic, popular, chief.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "tile <power>",
            count: Power::COUNT,
            meaning: "In your turn: play an Ahu tile. barter <give> <take>, of reeds, eggs, wood, pearls; chip_in \
                      <column>; change_jobs <column>; change_jobs <space>; rest <space>; lend_a_hand sculptor \
                      <space>; lend_a_hand chief <space>; take_two_more; take_three_more. In this order.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "tablet <power>",
            count: Power::COUNT,
            meaning: "In your turn: discard the Rongorongo Tablet for the effect of a tile; as for tile <power>.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "sculpt <size>",
            count: Size::COUNT,
            meaning: "Phase 2: take a Moai: small, medium, large. Larger ones come first.",
            arguments: &[],
        },
        ActionGroup { pattern: "sculpt done", count: 1, meaning: "Phase 2: take no more Moai.", arguments: &[] },
        ActionGroup {
            pattern: "transport <cargo>",
            count: Cargo::COUNT,
            meaning: "Phase 3: begin to transport a small, medium, large Moai from the Crater, or a pukao from the \
                      Pukao Quarry.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "drop out",
            count: 1,
            meaning: "Phase 3: transport nothing more in this round.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "end turn",
            count: 1,
            meaning: "Phase 3: end the turn after a transport.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "step <area>",
            count: Area::COUNT,
            meaning: "Transport: step to an adjacent space, 1 to 27, to the crater, or to the pukao_quarry.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "erect <kind>",
            count: Tile::COUNT,
            meaning: "Transport: erect the Moai here, and take a tile of this kind from its ahu: rest, barter, skimp, \
                      chip_in, take_three_more, take_your_pick, change_jobs, lend_a_hand, gain_favor, take_two_more.",
            arguments: &[],
        },
        ActionGroup { pattern: "style", count: 1, meaning: "Transport: put the Pukao on a Moai here.", arguments: &[] },
        ActionGroup {
            pattern: "toll <resource>",
            count: Resource::COUNT,
            meaning: "Toll for another player's transport over your space of two colours: the Resource to earn: \
                      reeds, eggs, wood, pearls.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "gain shown",
            count: 1,
            meaning: "For the Moai just erected, take Resources in the colour shown.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "gain shifted",
            count: 1,
            meaning: "For the Moai just erected, with Fervent: take Resources of the next-higher value.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "gain first <count>",
            count: MAX_GAIN as usize + 1,
            meaning: "For the Moai just erected on a space of two colours: take this number, 0 to 18, in the first \
                      colour, and the rest in the second.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "<means> skimp",
            count: Means::COUNT,
            meaning: "Exchange: pay only 2 Resources; by tile, by tablet.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "offer <source> <type>",
            count: Offering::COUNT * Source::COUNT,
            meaning: "Exchange: the Offering tile to take: hut, chicken, hatchet, boat, necklace, each from its \
                      stack, then outstanding.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "pay <resources>",
            count: Payment::COUNT,
            meaning: "Exchange: the Resources to pay, each by its name, of rising value; Resources worth more than the \
                      price are converted. All sets of four in the order of their names from reeds to pearls, then \
                      all of two.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "draft <kind>",
            count: Tile::COUNT,
            meaning: "Setup with two players: take an Ahu tile from the display; kinds as in erect.",
            arguments: &[],
        },
    ];

    #[inline]
    fn id(self) -> ActionId {
        match self {
            Self::PlaceTransporter(space) => after(TRANSPORTER, space.index()),
            Self::PlaceSculptor(column) => after(SCULPTOR, column as usize),
            Self::PlaceSorcerer(star) => after(SORCERER, star.index()),
            Self::PlaceChief(column) => after(CHIEF, column as usize),
            Self::Improve(improvement) => after(IMPROVE, improvement as usize),
            Self::Play(Means::Tile, power) => after(TILE, power.index()),
            Self::Play(Means::Tablet, power) => after(TABLET, power.index()),
            Self::Sculpt(size) => after(SCULPT, size as usize),
            Self::SculptDone => SCULPT_DONE,
            Self::Transport(cargo) => after(TRANSPORT, cargo.index()),
            Self::DropOut => DROP_OUT,
            Self::EndTurn => END_TURN,
            Self::Step(area) => after(STEP, area.index()),
            Self::Erect(tile) => after(ERECT, tile as usize),
            Self::Style => STYLE,
            Self::Toll(resource) => after(TOLL, resource as usize),
            Self::GainShown => GAIN_SHOWN,
            Self::GainShifted => GAIN_SHIFTED,
            Self::GainFirst(count) => after(GAIN_FIRST, count.into()),
            Self::Skimp(means) => after(SKIMP, means as usize),
            Self::Offer(offering, source) => after(OFFER, (offering, source).index()),
            Self::Pay(payment) => after(PAY, payment.index()),
            Self::Draft(tile) => after(DRAFT, tile as usize),
        }
    }

    #[inline]
    fn from_id(id: ActionId) -> Option<Self> {
        let behind = |first: ActionId| id.index() - first.index();
        // Each arm checks the start of the next run, so the first match is the run that contains the id.
        match id {
            _ if id < SCULPTOR => Space::new(behind(TRANSPORTER)).map(Self::PlaceTransporter),
            _ if id < SORCERER => Size::new(behind(SCULPTOR)).map(Self::PlaceSculptor),
            _ if id < CHIEF => Star::new(behind(SORCERER)).map(Self::PlaceSorcerer),
            _ if id < IMPROVE => Size::new(behind(CHIEF)).map(Self::PlaceChief),
            _ if id < TILE => Improvement::new(behind(IMPROVE)).map(Self::Improve),
            _ if id < TABLET => Power::new(behind(TILE)).map(|power| Self::Play(Means::Tile, power)),
            _ if id < SCULPT => Power::new(behind(TABLET)).map(|power| Self::Play(Means::Tablet, power)),
            _ if id < SCULPT_DONE => Size::new(behind(SCULPT)).map(Self::Sculpt),
            SCULPT_DONE => Some(Self::SculptDone),
            _ if id < DROP_OUT => Cargo::new(behind(TRANSPORT)).map(Self::Transport),
            DROP_OUT => Some(Self::DropOut),
            END_TURN => Some(Self::EndTurn),
            _ if id < ERECT => Area::new(behind(STEP)).map(Self::Step),
            _ if id < STYLE => Tile::new(behind(ERECT)).map(Self::Erect),
            STYLE => Some(Self::Style),
            _ if id < GAIN_SHOWN => Resource::new(behind(TOLL)).map(Self::Toll),
            GAIN_SHOWN => Some(Self::GainShown),
            GAIN_SHIFTED => Some(Self::GainShifted),
            _ if id < SKIMP => Some(Self::GainFirst(behind(GAIN_FIRST) as u8)),
            _ if id < OFFER => Means::new(behind(SKIMP)).map(Self::Skimp),
            _ if id < PAY => {
                let (offering, source) = (behind(OFFER) / Source::COUNT, behind(OFFER) % Source::COUNT);
                Some(Self::Offer(Offering::new(offering)?, Source::new(source)?))
            }
            _ if id < DRAFT => Payment::new(behind(PAY)).map(Self::Pay),
            _ => Tile::new(behind(DRAFT)).map(Self::Draft),
        }
    }
}

/// Writes `barter eggs wood`, `chip_in small`, `change_jobs small`, `change_jobs 12`, `rest 12`, `lend_a_hand
/// sculptor 12`, `lend_a_hand chief 12`, `take_two_more`, or `take_three_more`.
impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tile().name())?;
        match self {
            Self::Barter { give, take } => write!(f, " {give} {take}"),
            Self::ChipIn(column) | Self::ChangeToSculptor(column) => write!(f, " {column}"),
            Self::ChangeToTransporter(space) | Self::Rest(space) => write!(f, " {space}"),
            Self::LendSculptor(space) => write!(f, " sculptor {space}"),
            Self::LendChief(space) => write!(f, " chief {space}"),
            Self::TakeTwoMore | Self::TakeThreeMore => Ok(()),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PlaceTransporter(space) => write!(f, "transporter {space}"),
            Self::PlaceSculptor(column) => write!(f, "sculptor {column}"),
            Self::PlaceSorcerer(star) => write!(f, "sorcerer {star}"),
            Self::PlaceChief(column) => write!(f, "chief {column}"),
            Self::Improve(improvement) => write!(f, "improve {improvement}"),
            Self::Play(means, power) => write!(f, "{means} {power}"),
            Self::Sculpt(size) => write!(f, "sculpt {size}"),
            Self::SculptDone => f.write_str("sculpt done"),
            Self::Transport(cargo) => write!(f, "transport {cargo}"),
            Self::DropOut => f.write_str("drop out"),
            Self::EndTurn => f.write_str("end turn"),
            Self::Step(area) => write!(f, "step {area}"),
            Self::Erect(tile) => write!(f, "erect {tile}"),
            Self::Style => f.write_str("style"),
            Self::Toll(resource) => write!(f, "toll {resource}"),
            Self::GainShown => f.write_str("gain shown"),
            Self::GainShifted => f.write_str("gain shifted"),
            Self::GainFirst(count) => write!(f, "gain first {count}"),
            Self::Skimp(means) => write!(f, "{means} skimp"),
            Self::Offer(offering, source) => write!(f, "offer {source} {offering}"),
            Self::Pay(payment) => write!(f, "pay {payment}"),
            Self::Draft(tile) => write!(f, "draft {tile}"),
        }
    }
}

impl FromStr for Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        match words[..] {
            [(_, "transporter"), space] => read(space).map(Self::PlaceTransporter),
            [(_, "sculptor"), column] => read(column).map(Self::PlaceSculptor),
            [(_, "sorcerer"), star] => read(star).map(Self::PlaceSorcerer),
            [(_, "chief"), column] => read(column).map(Self::PlaceChief),
            [(_, "improve"), tile] => read(tile).map(Self::Improve),
            [means @ (_, "tile" | "tablet"), (_, "skimp")] => read(means).map(Self::Skimp),
            [means @ (_, "tile" | "tablet"), ref power @ ..] => Ok(Self::Play(read(means)?, read_power(text, power)?)),
            [(_, "sculpt"), (_, "done")] => Ok(Self::SculptDone),
            [(_, "sculpt"), size] => read(size).map(Self::Sculpt),
            [(_, "transport"), cargo] => read(cargo).map(Self::Transport),
            [(_, "drop"), (_, "out")] => Ok(Self::DropOut),
            [(_, "end"), (_, "turn")] => Ok(Self::EndTurn),
            [(_, "step"), area] => read(area).map(Self::Step),
            [(_, "erect"), tile] => read(tile).map(Self::Erect),
            [(_, "style")] => Ok(Self::Style),
            [(_, "toll"), resource] => read(resource).map(Self::Toll),
            [(_, "gain"), (_, "shown")] => Ok(Self::GainShown),
            [(_, "gain"), (_, "shifted")] => Ok(Self::GainShifted),
            [(_, "gain"), (_, "first"), count] => read_count(count).map(Self::GainFirst),
            [(_, "offer"), source, offering] => Ok(Self::Offer(read(offering)?, read(source)?)),
            [(at, "pay"), ref resources @ ..] => read_payment(at, resources).map(Self::Pay),
            [(_, "draft"), tile] => read(tile).map(Self::Draft),
            [] => Err(ParseError::new(0, format!("expected an action, got nothing; {GRAMMAR}"))),
            [(at, verb)] if VERBS.contains(&verb) => {
                Err(ParseError::new(at + verb.len(), format!("\"{verb}\" is incomplete; {GRAMMAR}")))
            }
            [(_, verb), .., (at, word)] if VERBS.contains(&verb) => {
                Err(ParseError::new(at, format!("unexpected \"{word}\"; {GRAMMAR}")))
            }
            [(at, word), ..] => {
                Err(ParseError::new(at, format!("unknown action \"{word}\"{}; {GRAMMAR}", did_you_mean(word, VERBS))))
            }
        }
    }
}

fn read<T: FromStr<Err = ParseError>>((at, word): (usize, &str)) -> Result<T, ParseError> {
    word.parse().map_err(|error: ParseError| error.within(at))
}

fn read_power(text: &str, words: &[(usize, &str)]) -> Result<Power, ParseError> {
    match *words {
        [(_, "barter"), give, (at, take)] => {
            let (give, other) = (read(give)?, read((at, take))?);
            match give == other {
                true => Err(ParseError::new(at, "expected a Resource other than the given one")),
                false => Ok(Power::Barter { give, take: other }),
            }
        }
        [(_, "chip_in"), column] => read(column).map(Power::ChipIn),
        [(_, "change_jobs"), to] => match read(to) {
            Ok(column) => Ok(Power::ChangeToSculptor(column)),
            Err(_) => read(to).map(Power::ChangeToTransporter).map_err(|error| {
                let (at, message) = (error.at, error.message);
                ParseError::new(at, format!("{message}; a column (small, medium, large) is valid too"))
            }),
        },
        [(_, "rest"), space] => read(space).map(Power::Rest),
        [(_, "lend_a_hand"), (_, "sculptor"), space] => read(space).map(Power::LendSculptor),
        [(_, "lend_a_hand"), (_, "chief"), space] => read(space).map(Power::LendChief),
        [(_, "take_two_more")] => Ok(Power::TakeTwoMore),
        [(_, "take_three_more")] => Ok(Power::TakeThreeMore),
        [] => Err(ParseError::new(text.len(), format!("expected a power, got nothing; {POWERS}"))),
        [(at, word), ..] => Err(ParseError::new(at, format!("unexpected \"{word}\"; {POWERS}"))),
    }
}

fn read_count((at, word): (usize, &str)) -> Result<u8, ParseError> {
    let count = number(word).filter(|&count: &u8| count <= MAX_GAIN);
    count.ok_or_else(|| ParseError::new(at, format!("expected 0 to {MAX_GAIN} Resources, got \"{word}\"")))
}

fn read_payment(start: usize, words: &[(usize, &str)]) -> Result<Payment, ParseError> {
    let mut resources = Resources::EMPTY;
    for &word in words.iter().take(usize::from(u8::MAX)) {
        resources[read::<Resource>(word)?] += 1;
    }
    Payment::of(resources).ok_or_else(|| ParseError::new(start, "expected four Resources, or two with Skimp"))
}

const VERBS: [&str; 19] = [
    "transporter",
    "sculptor",
    "sorcerer",
    "chief",
    "improve",
    "tile",
    "tablet",
    "sculpt",
    "transport",
    "drop",
    "end",
    "step",
    "erect",
    "style",
    "toll",
    "gain",
    "offer",
    "pay",
    "draft",
];

const GRAMMAR: &str = "actions are \"transporter 12\", \"sculptor small\", \"sorcerer 1\", \"chief large\", \"improve \
                       fervent\", \"tile rest 12\", \"tablet chip_in small\", \"sculpt large\", \"sculpt done\", \
                       \"transport pukao\", \"step 12\", \"erect skimp\", \"style\", \"toll eggs\", \"gain shown\", \
                       \"gain shifted\", \"gain first 3\", \"tile skimp\", \"offer stack hut\", \"pay reeds reeds \
                       eggs wood\", \"end turn\", \"drop out\", \"draft rest\"";

const POWERS: &str = "powers are \"barter eggs wood\", \"chip_in small\", \"change_jobs small\", \"change_jobs 12\", \
                      \"rest 12\", \"lend_a_hand sculptor 12\", \"lend_a_hand chief 12\", \"take_two_more\", \
                      \"take_three_more\", \"skimp\"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Action as _;

    #[test]
    fn ids_are_stable() {
        let id = |text: &str| text.parse::<Action>().map(|action| action.id().0);
        assert_eq!(Action::COUNT, 441);
        assert_eq!(Action::GROUPS.iter().map(|group| group.count).sum::<usize>(), 441);
        for (text, expected) in [
            ("transporter 1", 0),
            ("transporter 27", 26),
            ("sculptor small", 27),
            ("sorcerer 1", 30),
            ("sorcerer 6", 35),
            ("chief large", 38),
            ("improve fervent", 39),
            ("improve chief", 42),
            ("tile barter reeds eggs", 43),
            ("tile barter pearls wood", 54),
            ("tile chip_in small", 55),
            ("tile change_jobs small", 58),
            ("tile change_jobs 1", 61),
            ("tile rest 1", 88),
            ("tile lend_a_hand sculptor 1", 115),
            ("tile lend_a_hand chief 27", 168),
            ("tile take_two_more", 169),
            ("tile take_three_more", 170),
            ("tablet barter reeds eggs", 171),
            ("tablet take_three_more", 298),
            ("sculpt small", 299),
            ("sculpt done", 302),
            ("transport small", 303),
            ("transport pukao", 306),
            ("drop out", 307),
            ("end turn", 308),
            ("step 1", 309),
            ("step crater", 336),
            ("step pukao_quarry", 337),
            ("erect rest", 338),
            ("erect take_two_more", 347),
            ("style", 348),
            ("toll reeds", 349),
            ("gain shown", 353),
            ("gain shifted", 354),
            ("gain first 0", 355),
            ("gain first 18", 373),
            ("tile skimp", 374),
            ("tablet skimp", 375),
            ("offer stack hut", 376),
            ("offer outstanding necklace", 385),
            ("pay reeds reeds reeds reeds", 386),
            ("pay eggs reeds reeds reeds", 387),
            ("pay pearls pearls pearls pearls", 420),
            ("pay reeds reeds", 421),
            ("pay pearls pearls", 430),
            ("draft rest", 431),
            ("draft take_two_more", 440),
        ] {
            assert_eq!(id(text), Ok(expected), "{text}");
        }
        assert_eq!(Action::from_id(ActionId(441)), None);
        assert_eq!(Action::from_id(ActionId(u16::MAX)), None);
    }

    #[test]
    fn a_text_that_is_no_action_is_refused_where_it_goes_wrong() {
        for (text, at, reason) in [
            ("", 0, "expected an action, got nothing"),
            ("transporter", 11, "\"transporter\" is incomplete"),
            ("transporter 28", 12, "expected a space from 1 to 27, got \"28\""),
            ("transporter 0", 12, "expected a space from 1 to 27, got \"0\""),
            ("sculptor  tiny", 10, "unknown size \"tiny\" (expected one of small, medium, large)"),
            ("sorcerer 7", 9, "expected a star space from 1 to 6"),
            ("tile", 4, "expected a power, got nothing"),
            ("tile gain_favor", 5, "unexpected \"gain_favor\""),
            ("tile barter eggs eggs", 17, "expected a Resource other"),
            ("tablet change_jobs 40", 19, "a column (small, medium, large) is valid too"),
            ("step sea", 5, "\"crater\" and \"pukao_quarry\" are valid too"),
            ("gain first 19", 11, "0 to 18"),
            ("offer hut", 6, "unexpected \"hut\""),
            ("offer stack hat", 12, "did you mean \"hut\"?"),
            ("pay eggs eggs eggs", 0, "expected four Resources, or two"),
            ("end turn now", 9, "unexpected \"now\""),
            ("transprot small", 0, "did you mean \"transport\"?"),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
