//! The actions, their ids, and their grammar.

use std::fmt;
use std::str::FromStr;

use super::board::{Ahu, Hex, MAX_AHUS, MAX_HEXES};
use super::piece::{PIECES, Piece, Size};
use super::set::Numbered;
use super::tribe::{MARKERS, WORKERS};
use crate::core::parse::{number, words};
use crate::core::{self, ActionGroup, ActionId, ParseError, RelativeSeat};

/// One decision of one seat. Bids, placements and transports are chains of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Auction: bid this number of Tribe Markers, 0 to 6.
    BidMarkers(u8),
    /// Auction: bid this number of Workers, 0 to 6.
    BidWorkers(u8),
    /// Auction: bid Sorcerer, Chief, both, or none. This seals the bid.
    BidLeaders(Leaders),
    /// Auction: take a Moai of this size.
    Pick(Size),
    /// Auction: take no more Moai.
    Decline,
    /// Placement: place a figure.
    Place(Party),
    /// Placement: spend a Tribe Marker for a Rongo half-tablet.
    TakeHalf,
    /// Placement, transport: do no more in this phase.
    Pass,
    /// Placement: place the figure on this hex.
    At(Hex),
    /// Placement: use no power.
    NoPower,
    /// Placement: use the power of the hex.
    UsePower,
    /// Placement: use the power to reserve this Ahu.
    Reserve(Ahu),
    /// Transport: lift a piece to move, mark, erect, or top it.
    Lift(Piece),
    /// Transport: move the lifted piece to this neighbouring hex.
    Enter(Hex),
    /// Transport: pay a Prestige Point to an opponent for help.
    Pay(RelativeSeat),
    /// Transport, `chief_pp` full size: pay an opponent's Chief for all help on the hex.
    PayChief(RelativeSeat),
    /// Transport, `allow_gift_pp`: pay no more.
    Enough,
    /// Transport: leave the moved piece on its hex, with its mark if it has one.
    Stop,
    /// Transport, end of phase 4: put a Tribe Marker on the piece.
    Mark,
    /// Transport: erect the Moai on this Ahu.
    Erect(Ahu),
    /// Transport: put the headdress on the Moai of this Ahu.
    Top(Ahu),
    /// `base_view` memory: look at the base under the Moai of this Ahu, for a half-tablet.
    Peek(Ahu),
    /// End of phase 4: leave the unmoved piece unmarked.
    Leave,
    /// End of turn: leave the Tribe Marker on the piece.
    Keep,
    /// End of turn: take the Tribe Marker back.
    TakeBack,
}

/// The leaders in a bid: any of Sorcerer and Chief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaders {
    /// Neither.
    None,
    /// The Sorcerer.
    Sorcerer,
    /// The Chief.
    Chief,
    /// Both.
    Both,
}

impl Leaders {
    /// All values, in the order of their ids.
    pub const ALL: [Self; 4] = [Self::None, Self::Sorcerer, Self::Chief, Self::Both];

    /// Returns the value with these leaders.
    pub const fn of(sorcerer: bool, chief: bool) -> Self {
        match (sorcerer, chief) {
            (false, false) => Self::None,
            (true, false) => Self::Sorcerer,
            (false, true) => Self::Chief,
            (true, true) => Self::Both,
        }
    }

    /// Returns true if the Sorcerer is in the bid.
    pub const fn sorcerer(self) -> bool {
        matches!(self, Self::Sorcerer | Self::Both)
    }

    /// Returns true if the Chief is in the bid.
    pub const fn chief(self) -> bool {
        matches!(self, Self::Chief | Self::Both)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sorcerer => "sorcerer",
            Self::Chief => "chief",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Leaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A figure to place on the island, with its logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// A Worker with this number of logs, 0 to 2.
    Worker(u8),
    /// The Sorcerer with this number of logs, 0 to 2.
    Sorcerer(u8),
    /// The Chief, who brings no logs (G13).
    Chief,
}

/// The most logs that a Worker or the Sorcerer may bring.
pub const LOGS_A_FIGURE: u8 = 2;

impl Party {
    /// All values, in the order of their ids.
    pub const ALL: [Self; 7] = [
        Self::Worker(0),
        Self::Worker(1),
        Self::Worker(2),
        Self::Sorcerer(0),
        Self::Sorcerer(1),
        Self::Sorcerer(2),
        Self::Chief,
    ];

    /// Returns the number of logs that the figure brings.
    pub const fn logs(self) -> u8 {
        match self {
            Self::Worker(logs) | Self::Sorcerer(logs) => logs,
            Self::Chief => 0,
        }
    }

    /// Returns its index in [`Self::ALL`].
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Worker(logs) => logs as usize,
            Self::Sorcerer(logs) => LOGS_A_FIGURE as usize + 1 + logs as usize,
            Self::Chief => Self::ALL.len() - 1,
        }
    }
}

/// Writes the figure and its logs: `worker`, `sorcerer 1 log`, `worker 2 logs`, `chief`.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker(_) => "worker",
            Self::Sorcerer(_) => "sorcerer",
            Self::Chief => "chief",
        })?;
        match self.logs() {
            0 => Ok(()),
            1 => f.write_str(" 1 log"),
            logs => write!(f, " {logs} logs"),
        }
    }
}

/// The number of opponents at the largest table.
pub(super) const OPPONENTS: usize = 4;

const BID_MARKERS: usize = 0;
const BID_WORKERS: usize = BID_MARKERS + MARKERS as usize + 1;
const BID_LEADERS: usize = BID_WORKERS + WORKERS as usize + 1;
const PICK: usize = BID_LEADERS + Leaders::ALL.len();
const DECLINE: usize = PICK + Size::ALL.len();
const PLACE: usize = DECLINE + 1;
const TAKE_HALF: usize = PLACE + Party::ALL.len();
const PASS: usize = TAKE_HALF + 1;
const AT: usize = PASS + 1;
const NO_POWER: usize = AT + MAX_HEXES;
const USE_POWER: usize = NO_POWER + 1;
const RESERVE: usize = USE_POWER + 1;
const LIFT: usize = RESERVE + MAX_AHUS;
const ENTER: usize = LIFT + PIECES;
const PAY: usize = ENTER + MAX_HEXES;
const PAY_CHIEF: usize = PAY + OPPONENTS;
const ENOUGH: usize = PAY_CHIEF + OPPONENTS;
const STOP: usize = ENOUGH + 1;
const MARK: usize = STOP + 1;
const ERECT: usize = MARK + 1;
const TOP: usize = ERECT + MAX_AHUS;
const PEEK: usize = TOP + MAX_AHUS;
const LEAVE: usize = PEEK + MAX_AHUS;
const KEEP: usize = LEAVE + 1;
const TAKE_BACK: usize = KEEP + 1;

/// The first ids of the action groups whose ids follow the order of numbered things, such as hexes.
pub(super) mod first {
    use super::ActionId;

    pub(in crate::games::giants) const BID_MARKERS: ActionId = id(super::BID_MARKERS);
    pub(in crate::games::giants) const BID_WORKERS: ActionId = id(super::BID_WORKERS);
    pub(in crate::games::giants) const AT: ActionId = id(super::AT);
    pub(in crate::games::giants) const RESERVE: ActionId = id(super::RESERVE);
    pub(in crate::games::giants) const LIFT: ActionId = id(super::LIFT);
    pub(in crate::games::giants) const ENTER: ActionId = id(super::ENTER);
    pub(in crate::games::giants) const ERECT: ActionId = id(super::ERECT);
    pub(in crate::games::giants) const TOP: ActionId = id(super::TOP);
    pub(in crate::games::giants) const PEEK: ActionId = id(super::PEEK);

    const fn id(index: usize) -> ActionId {
        ActionId(index as u16)
    }
}

impl core::Action for Action {
    const COUNT: usize = TAKE_BACK + 1;
    const GROUPS: &'static [ActionGroup] = &[
        ActionGroup {
            pattern: "bid markers <n>",
            count: BID_WORKERS - BID_MARKERS,
            meaning: "Auction, first step of a bid: the number of Tribe Markers, 0 to 6.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "bid workers <n>",
            count: BID_LEADERS - BID_WORKERS,
            meaning: "Auction, second step of a bid: the number of Workers, 0 to 6.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "bid leaders <which>",
            count: PICK - BID_LEADERS,
            meaning: "Auction, last step of a bid, which seals it: none, sorcerer, chief, both.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "pick <size>",
            count: 3,
            meaning: "Auction: the size of the Moai to take, 1, 2, 3.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "decline",
            count: 1,
            meaning: "Auction: the end of the player's picks.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "place <figure>",
            count: TAKE_HALF - PLACE,
            meaning: "Placement: the figure to place, on a hex that the next action names. worker, worker 1 log, \
                      worker 2 logs, sorcerer, sorcerer 1 log, sorcerer 2 logs, chief.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "take half",
            count: 1,
            meaning: "Placement: a Rongo half-tablet, for a Tribe Marker that goes in front of the screen.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "pass",
            count: 1,
            meaning: "Placement, transport: no more actions in this phase.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "at <hex>",
            count: MAX_HEXES,
            meaning: "Placement: the hex for the figure, 0 to 41.",
            arguments: &[],
        },
        ActionGroup { pattern: "no power", count: 1, meaning: "Placement: no power for the figure.", arguments: &[] },
        ActionGroup {
            pattern: "use power",
            count: 1,
            meaning: "Placement: the power of village, hut, forest, or headdress quarry, used by the figure.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "reserve <Ahu>",
            count: MAX_AHUS,
            meaning: "Placement: the Ahu that the figure reserves on its hex, a0 to a25.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "lift <piece>",
            count: PIECES,
            meaning: "Transport: the piece to lift. Moai of size 1, 1a to 1q; of size 2, 2a to 2l; of size 3, 3a to \
                      3f; headdresses, ha to hn.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "enter <hex>",
            count: MAX_HEXES,
            meaning: "Transport: the neighbouring hex that the piece enters, 0 to 41.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "pay +<k>",
            count: OPPONENTS,
            meaning: "Transport: a Prestige Point for help on the hex, to the k-th opponent to the left, 1 to 4.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "pay chief +<k>",
            count: OPPONENTS,
            meaning: "Transport, chief_pp=full_size: the size of the piece in Prestige Points, to the Chief of the \
                      k-th opponent to the left, 1 to 4, as the only payment for the hex.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "enough",
            count: 1,
            meaning: "Transport, allow_gift_pp: the end of the payments.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "stop",
            count: 1,
            meaning: "Transport: the end of the move, without a new mark.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "mark",
            count: 1,
            meaning: "Transport, end of phase 4: a Tribe Marker on the piece.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "erect <Ahu>",
            count: MAX_AHUS,
            meaning: "Transport: the Ahu of the hex on which the player erects the Moai, a0 to a25.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "top <Ahu>",
            count: MAX_AHUS,
            meaning: "Transport: the Ahu of the hex whose Moai gets the headdress, a0 to a25.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "peek <Ahu>",
            count: MAX_AHUS,
            meaning: "Placement, transport, base_view=memory: a look at the base under the Moai of an Ahu, for a \
                      half-tablet; a0 to a25. The player's action follows.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "leave",
            count: 1,
            meaning: "End of phase 4: no mark on the unmoved piece.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "keep",
            count: 1,
            meaning: "End of turn: the Tribe Marker stays on the piece.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "take back",
            count: 1,
            meaning: "End of turn: the Tribe Marker goes back to the player; any player may then take the piece.",
            arguments: &[],
        },
    ];

    fn id(self) -> ActionId {
        let index = match self {
            Self::BidMarkers(count) => {
                assert!(count <= MARKERS, "expected a bid of at most {MARKERS} Tribe Markers, got {count}");
                BID_MARKERS + usize::from(count)
            }
            Self::BidWorkers(count) => {
                assert!(count <= WORKERS, "expected a bid of at most {WORKERS} Workers, got {count}");
                BID_WORKERS + usize::from(count)
            }
            Self::BidLeaders(leaders) => BID_LEADERS + leaders as usize,
            Self::Pick(size) => PICK + size as usize,
            Self::Decline => DECLINE,
            Self::Place(party) => {
                assert!(party.logs() <= LOGS_A_FIGURE, "expected at most {LOGS_A_FIGURE} logs, got {}", party.logs());
                PLACE + party.place()
            }
            Self::TakeHalf => TAKE_HALF,
            Self::Pass => PASS,
            Self::At(hex) => AT + hex.index(),
            Self::NoPower => NO_POWER,
            Self::UsePower => USE_POWER,
            Self::Reserve(ahu) => RESERVE + ahu.index(),
            Self::Lift(piece) => LIFT + piece.index(),
            Self::Enter(hex) => ENTER + hex.index(),
            Self::Pay(left) => PAY + opponent(left),
            Self::PayChief(left) => PAY_CHIEF + opponent(left),
            Self::Enough => ENOUGH,
            Self::Stop => STOP,
            Self::Mark => MARK,
            Self::Erect(ahu) => ERECT + ahu.index(),
            Self::Top(ahu) => TOP + ahu.index(),
            Self::Peek(ahu) => PEEK + ahu.index(),
            Self::Leave => LEAVE,
            Self::Keep => KEEP,
            Self::TakeBack => TAKE_BACK,
        };
        ActionId(index as u16)
    }

    #[inline]
    fn from_id(id: ActionId) -> Option<Self> {
        match id.index() {
            n @ BID_MARKERS..BID_WORKERS => Some(Self::BidMarkers((n - BID_MARKERS) as u8)),
            n @ BID_WORKERS..BID_LEADERS => Some(Self::BidWorkers((n - BID_WORKERS) as u8)),
            n @ BID_LEADERS..PICK => Some(Self::BidLeaders(Leaders::ALL[n - BID_LEADERS])),
            n @ PICK..DECLINE => Some(Self::Pick(Size::ALL[n - PICK])),
            DECLINE => Some(Self::Decline),
            n @ PLACE..TAKE_HALF => Some(Self::Place(Party::ALL[n - PLACE])),
            TAKE_HALF => Some(Self::TakeHalf),
            PASS => Some(Self::Pass),
            n @ AT..NO_POWER => Hex::new(n - AT).map(Self::At),
            NO_POWER => Some(Self::NoPower),
            USE_POWER => Some(Self::UsePower),
            n @ RESERVE..LIFT => Ahu::new(n - RESERVE).map(Self::Reserve),
            n @ LIFT..ENTER => Piece::new(n - LIFT).map(Self::Lift),
            n @ ENTER..PAY => Hex::new(n - ENTER).map(Self::Enter),
            n @ PAY..PAY_CHIEF => RelativeSeat::new(n - PAY).map(Self::Pay),
            n @ PAY_CHIEF..ENOUGH => RelativeSeat::new(n - PAY_CHIEF).map(Self::PayChief),
            ENOUGH => Some(Self::Enough),
            STOP => Some(Self::Stop),
            MARK => Some(Self::Mark),
            n @ ERECT..TOP => Ahu::new(n - ERECT).map(Self::Erect),
            n @ TOP..PEEK => Ahu::new(n - TOP).map(Self::Top),
            n @ PEEK..LEAVE => Ahu::new(n - PEEK).map(Self::Peek),
            LEAVE => Some(Self::Leave),
            KEEP => Some(Self::Keep),
            TAKE_BACK => Some(Self::TakeBack),
            _ => None,
        }
    }
}

/// Returns the index of an opponent.
///
/// # Panics
/// If no table of this game has an opponent so far to the left.
fn opponent(left: RelativeSeat) -> usize {
    assert!(left.index() < OPPONENTS, "expected an opponent +1 to +{OPPONENTS}, got {left}");
    left.index()
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BidMarkers(count) => write!(f, "bid markers {count}"),
            Self::BidWorkers(count) => write!(f, "bid workers {count}"),
            Self::BidLeaders(leaders) => write!(f, "bid leaders {leaders}"),
            Self::Pick(size) => write!(f, "pick {size}"),
            Self::Decline => f.write_str("decline"),
            Self::Place(party) => write!(f, "place {party}"),
            Self::TakeHalf => f.write_str("take half"),
            Self::Pass => f.write_str("pass"),
            Self::At(hex) => write!(f, "at {hex}"),
            Self::NoPower => f.write_str("no power"),
            Self::UsePower => f.write_str("use power"),
            Self::Reserve(ahu) => write!(f, "reserve {ahu}"),
            Self::Lift(piece) => write!(f, "lift {piece}"),
            Self::Enter(hex) => write!(f, "enter {hex}"),
            Self::Pay(left) => write!(f, "pay {left}"),
            Self::PayChief(left) => write!(f, "pay chief {left}"),
            Self::Enough => f.write_str("enough"),
            Self::Stop => f.write_str("stop"),
            Self::Mark => f.write_str("mark"),
            Self::Erect(ahu) => write!(f, "erect {ahu}"),
            Self::Top(ahu) => write!(f, "top {ahu}"),
            Self::Peek(ahu) => write!(f, "peek {ahu}"),
            Self::Leave => f.write_str("leave"),
            Self::Keep => f.write_str("keep"),
            Self::TakeBack => f.write_str("take back"),
        }
    }
}

impl FromStr for Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        match words[..] {
            [(_, "decline")] => Ok(Self::Decline),
            [(_, "pass")] => Ok(Self::Pass),
            [(_, "enough")] => Ok(Self::Enough),
            [(_, "stop")] => Ok(Self::Stop),
            [(_, "mark")] => Ok(Self::Mark),
            [(_, "leave")] => Ok(Self::Leave),
            [(_, "keep")] => Ok(Self::Keep),
            [(_, "take"), (_, "half")] => Ok(Self::TakeHalf),
            [(_, "take"), (_, "back")] => Ok(Self::TakeBack),
            [(_, "no"), (_, "power")] => Ok(Self::NoPower),
            [(_, "use"), (_, "power")] => Ok(Self::UsePower),
            [(_, "bid"), (_, "markers"), count] => read_count(count, MARKERS).map(Self::BidMarkers),
            [(_, "bid"), (_, "workers"), count] => read_count(count, WORKERS).map(Self::BidWorkers),
            [(_, "bid"), (_, "leaders"), which] => read_leaders(which).map(Self::BidLeaders),
            [(_, "pick"), size] => read_size(size).map(Self::Pick),
            [(at, "place"), ref figure @ ..] => read_party(at + "place".len(), figure).map(Self::Place),
            [(_, "at"), hex] => read(hex).map(Self::At),
            [(_, "enter"), hex] => read(hex).map(Self::Enter),
            [(_, "reserve"), ahu] => read(ahu).map(Self::Reserve),
            [(_, "erect"), ahu] => read(ahu).map(Self::Erect),
            [(_, "top"), ahu] => read(ahu).map(Self::Top),
            [(_, "peek"), ahu] => read(ahu).map(Self::Peek),
            [(_, "lift"), piece] => read(piece).map(Self::Lift),
            [(_, "pay"), (_, "chief"), left] => read_opponent(left).map(Self::PayChief),
            [(_, "pay"), left] => read_opponent(left).map(Self::Pay),
            [] => Err(ParseError::new(0, format!("expected an action, got an empty text; {GRAMMAR}"))),
            [(at, _), ..] => {
                Err(ParseError::new(at, format!("expected an action, got \"{}\"; {GRAMMAR}", text.trim())))
            }
        }
    }
}

fn read<T: FromStr<Err = ParseError>>((at, word): (usize, &str)) -> Result<T, ParseError> {
    word.parse().map_err(|error: ParseError| error.within(at))
}

fn read_count((at, word): (usize, &str), most: u8) -> Result<u8, ParseError> {
    let count = number(word).filter(|count| (0..=most).contains(count));
    count.ok_or_else(|| ParseError::new(at, format!("expected a number from 0 to {most}, got \"{word}\"")))
}

fn read_leaders((at, word): (usize, &str)) -> Result<Leaders, ParseError> {
    let leaders = Leaders::ALL.into_iter().find(|leaders| leaders.name() == word);
    leaders.ok_or_else(|| ParseError::new(at, format!("expected none, sorcerer, chief, or both, got \"{word}\"")))
}

fn read_size((at, word): (usize, &str)) -> Result<Size, ParseError> {
    let size = number(word).and_then(Size::new);
    size.ok_or_else(|| ParseError::new(at, format!("expected a Moai's size 1, 2, or 3, got \"{word}\"")))
}

fn read_party(end: usize, figure: &[(usize, &str)]) -> Result<Party, ParseError> {
    let at = figure.first().map_or(end, |&(at, _)| at);
    let words: Vec<&str> = figure.iter().map(|&(_, word)| word).collect();
    let party = Party::ALL.into_iter().find(|party| party.to_string() == words.join(" "));
    party.ok_or_else(|| {
        let got = words.join(" ");
        let expected = "expected chief, or worker or sorcerer, alone or with \"1 log\" or \"2 logs\"";
        ParseError::new(at, format!("{expected}, got \"{got}\""))
    })
}

fn read_opponent((at, word): (usize, &str)) -> Result<RelativeSeat, ParseError> {
    let left: RelativeSeat = read((at, word))?;
    match left.index() < OPPONENTS {
        true => Ok(left),
        false => Err(ParseError::new(
            at,
            format!("expected an opponent +1 (the left neighbour) to +{OPPONENTS}, got {left}"),
        )),
    }
}

/// Examples of the grammar, for error messages.
const GRAMMAR: &str = "examples are \"bid markers 2\", \"bid workers 1\", \"bid leaders chief\", \"pick 3\", \
                       \"place worker 1 log\", \"at 23\", \"use power\", \"reserve a9\", \"lift 2a\", \"enter 24\", \
                       \"pay +1\", \"erect a9\", \"mark\", \"pass\"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Action as _;

    #[test]
    fn ids_are_stable() {
        let id = |text: &str| text.parse::<Action>().map(|action| action.id().0);
        assert_eq!(Action::COUNT, 284);
        assert_eq!(Action::GROUPS.iter().map(|group| group.count).sum::<usize>(), 284);
        for (text, expected) in [
            ("bid markers 0", 0),
            ("bid workers 0", 7),
            ("bid leaders none", 14),
            ("bid leaders both", 17),
            ("pick 1", 18),
            ("decline", 21),
            ("place worker", 22),
            ("place sorcerer 2 logs", 27),
            ("place chief", 28),
            ("take half", 29),
            ("pass", 30),
            ("at 0", 31),
            ("no power", 73),
            ("use power", 74),
            ("reserve a0", 75),
            ("lift 1a", 101),
            ("lift 2a", 118),
            ("lift 3a", 130),
            ("lift ha", 136),
            ("lift hn", 149),
            ("enter 0", 150),
            ("enter 41", 191),
            ("pay +1", 192),
            ("pay chief +4", 199),
            ("enough", 200),
            ("stop", 201),
            ("mark", 202),
            ("erect a0", 203),
            ("top a0", 229),
            ("peek a0", 255),
            ("leave", 281),
            ("keep", 282),
            ("take back", 283),
        ] {
            assert_eq!(id(text), Ok(expected), "{text}");
        }
        assert_eq!(Action::from_id(ActionId(284)), None);
        assert_eq!(Action::from_id(ActionId(u16::MAX)), None);
    }

    #[test]
    fn a_text_that_is_no_action_is_refused_where_it_goes_wrong() {
        for (text, at, reason) in [
            ("", 0, "expected an action, got an empty text"),
            ("bid markers 7", 12, "0 to 6, got \"7\""),
            ("bid leaders all", 12, "none, sorcerer, chief, or both, got \"all\""),
            ("pick 4", 5, "size 1, 2, or 3, got \"4\""),
            ("place", 5, "expected chief, or worker or sorcerer"),
            ("place chief 1 log", 6, "got \"chief 1 log\""),
            ("place worker 1 logs", 6, "with \"1 log\""),
            ("at  42", 4, "a hex from 0 to 41, got \"42\""),
            ("erect 9", 6, "an Ahu from a0 to a25, got \"9\""),
            ("lift 3g", 5, "3a to 3f"),
            ("pay +5", 4, "+1 (the left neighbour) to +4"),
            ("pay chief +6", 10, "+1 (the left neighbour) to +5"),
            ("erect", 0, "expected an action, got \"erect\""),
            ("  hold", 2, "expected an action, got \"hold\""),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
