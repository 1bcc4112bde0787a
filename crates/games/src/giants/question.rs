//! The question for the decision of a viewer: what may be done, at what price, and what it brings.

use ahu_core::parts::lines::{counted, joined};
use ahu_core::{Action as _, ActionId, Argument as _, Ask, Seat};

use super::Action;
use super::bid::Bidding;
use super::board::{Ahu, Hex, Terrain};
use super::dues::{Dues, Payee};
use super::event::moai_text;
use super::options::{BaseView, ChiefPay};
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{Kind, Piece};
use super::view::View;

impl Ask for View {
    fn question(&self) -> String {
        let Some(seat) = self.viewer.own_seat().filter(|&seat| self.to_act().contains(seat)) else {
            return String::new();
        };
        match self.table.phase {
            Phase::Bid { .. } => self.bid_question().to_owned(),
            Phase::Pick { offered, .. } => format!(
                "Take one of the Moai on offer ({}), or decline? Your Sculptors limit the sizes; who declines takes no more \
                 Moai in this auction.",
                moai_text(offered)
            ),
            Phase::Place { step, .. } => self.place_question(step),
            Phase::Transport { step, .. } => self.transport_question(seat, step),
            Phase::Store { piece, .. } => format!(
                "Mark {piece} with a Tribe Marker, or leave it unmarked in its quarry? Without a mark any player may take it \
                 from the next turn on."
            ),
            Phase::Recover { piece, .. } => format!(
                "Take your Tribe Marker back from {piece}, or keep it there? Without it any player may take the piece."
            ),
            Phase::Roll | Phase::Over => String::new(),
        }
    }

    /// Returns what an action without a place touches: the hex of the figure whose power is used, the bank, or the piece at hand.
    fn targets(&self, id: ActionId) -> Option<Vec<String>> {
        let target = match (Action::from_id(id)?, self.table.phase) {
            (Action::UsePower, Phase::Place { step: PlaceStep::Power { hex, .. }, .. }) => format!("hex {hex}"),
            (Action::TakeHalf, _) => "half".to_owned(),
            (Action::Stop | Action::Mark | Action::TakeBack, phase) => format!("piece {}", phase.piece()?),
            _ => return None,
        };
        Some(vec![target])
    }
}

impl View {
    /// Returns the question for the next step of the viewer's bid.
    fn bid_question(&self) -> &'static str {
        match self.bid {
            Some(Bidding::Workers { .. }) => {
                "How many Workers do you bid as Sculptors? Each sculpts one unit of a Moai's size, and is spent for this turn."
            }
            Some(Bidding::Leaders { .. }) => {
                "Which leaders do you bid as Sculptors: none, the Sorcerer (1 unit), the Chief (3 units), or both? They are \
                 spent for this turn."
            }
            Some(Bidding::Markers | Bidding::Sealed(_)) | None => {
                "How many Tribe Markers do you bid, in secret? Who bids more takes a Moai earlier. Workers, the Sorcerer, and \
                 the Chief follow as Sculptors: without enough of them you take none. All that you bid is spent for this turn."
            }
        }
    }

    fn place_question(&self, step: PlaceStep) -> String {
        match step {
            PlaceStep::What => {
                let peek = match self.table.options.base_view {
                    BaseView::Open => "",
                    BaseView::Memory => " Before that you may give a half-tablet to look under a Moai.",
                };
                format!(
                    "Place a figure on a hex, take a half-tablet for one Tribe Marker, or pass for the rest of the phase? A \
                     Worker or the Sorcerer may bring up to 2 logs. Two half-tablets are 3 points at the end, or pay for a \
                     power of your Chief.{peek}"
                )
            }
            PlaceStep::Where { party } => {
                let last = self.table.board().hexes.iter().last().map_or(0, Hex::index);
                format!("On which hex do you place {}, from 0 to {last}? The map shows the numbers.", party.words())
            }
            PlaceStep::Power { chief, hex } => {
                let cost = if chief { "for two half-tablets" } else { "which costs nothing" };
                let figure = if chief { "Chief" } else { "Sorcerer" };
                let gives = match self.table.board().terrain(hex) {
                    Terrain::Village => "a Worker from the receptacle".to_owned(),
                    Terrain::Hut => "a Tribe Marker from the receptacle".to_owned(),
                    Terrain::Forest { logs } => format!("{} at most, once a game", counted(logs, "log")),
                    Terrain::HeaddressQuarry => "a headdress".to_owned(),
                    Terrain::MoaiQuarry | Terrain::Land => {
                        "an Ahu of the hex, reserved by one of your bases".to_owned()
                    }
                };
                format!("Use the power of the {figure} on hex {hex}, {cost}, or not? It brings {gives}.")
            }
        }
    }

    fn transport_question(&self, seat: Seat, step: TransportStep) -> String {
        match step {
            TransportStep::Lift => {
                "Lift which piece, to move, mark, erect, or top it, or pass for the rest of the phase?".to_owned()
            }
            TransportStep::Carry { piece, moved } => self.carry_question(seat, piece, moved),
            TransportStep::Pay { piece, to, dues } => self.help_question(seat, piece, to, dues),
        }
    }

    /// Returns the question for the next hex of a lifted piece, or its end on this one.
    fn carry_question(&self, seat: Seat, piece: Piece, moved: bool) -> String {
        let takes = match piece.kind() {
            Kind::Moai(_) => self.table.bases_to_use(seat),
            Kind::Headdress => self.table.moai_to_top(seat),
        };
        let here = self.table.board().ahus_at(self.table.hex_of(piece)) & takes;
        let worth = |ahu: Ahu| format!("{ahu} {}", self.table.worth(piece, ahu));
        let ends = match &*joined(here.iter().map(worth), ", ") {
            "" => String::new(),
            worths => format!(" On the Ahus here it counts at the end: {worths}."),
        };
        let left = match (moved, self.table.pieces.owned()[seat].contains(piece)) {
            (true, true) => " To stop leaves it there.",
            _ => "",
        };
        format!(
            "Move {piece} to which neighbouring hex, or end here? Your figures and all logs carry for nothing; for each unit \
             of an opponent's figures, that opponent gains a Prestige Point.{left} To mark it takes one of your Tribe \
             Markers.{ends}"
        )
    }

    /// Returns the question for the opponents who help on a hex.
    fn help_question(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues) -> String {
        let options = &self.table.options;
        let helper = |payee: Payee| {
            let owner = payee.of(seat, options.seats)?;
            let units = self.table.tribes[owner].units(to);
            (units > 0).then(|| format!("{payee} is seat {owner} ({} there)", counted(units, "unit")))
        };
        let gift = match (options.allow_gift_pp, dues.short()) {
            (false, _) => String::new(),
            (true, 0) => format!(" You may give up to {} more, or say \"enough\".", dues.most_left()),
            (true, _) => format!(" You may give up to {} in all.", dues.most_left()),
        };
        let chief = match options.chief_pp {
            ChiefPay::PerUnit => "",
            ChiefPay::FullSize => " A Chief (\"pay chief\") gains the size of the piece, and is then the only helper.",
        };
        format!(
            "Who helps to carry {piece} to hex {to}? {} of help {} missing. Each \"pay\" gives that opponent one Prestige Point \
             from the bank: it costs you nothing. {}.{gift}{chief}",
            counted(dues.short(), "unit"),
            if dues.short() == 1 { "is" } else { "are" },
            joined(Payee::all().filter_map(helper), ", ")
        )
    }
}
