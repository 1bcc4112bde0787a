//! The actions, their ids, and their grammar.

use ahu_core::actions;

use super::bid::{Amount, Leaders};
use super::board::{Ahu, Hex};
use super::dues::Payee;
use super::party::Party;
use super::piece::{Piece, Size};

actions! {
    /// One decision of one seat. Bids, placements and transports are chains of them.
    pub enum Action {
        /// Auction, first step of a bid: bid a number of Tribe Markers, 0 to 6.
        "bid markers <number>" => BidMarkers(number: Amount as number) says "Bid <number> Tribe Marker(s)",
        /// Auction, second step of a bid: bid a number of Workers, 0 to 6.
        "bid workers <number>" => BidWorkers(number: Amount as number) says "Bid <number> Worker(s)",
        /// Auction, last step of a bid, which seals it: bid none, sorcerer, chief, both.
        "bid leaders <which>" => BidLeaders(which: Leaders as kind) says "Bid leaders: <which>",
        /// Auction: take a Moai of size 1, 2, 3.
        "pick <size>" => Pick(size: Size as piece "moai") says "Take a Moai of size <size>",
        /// Auction: take no more Moai.
        "decline" => Decline says "Take no more Moai",
        /// Placement: place a figure, on a hex that the next action names: worker, worker 1 log, worker 2 logs, sorcerer,
        /// sorcerer 1 log, sorcerer 2 logs, chief.
        "place <figure>" => Place(figure: Party as counted_piece "figure"),
        /// Placement: put a Tribe Marker in front of the screen for a Rongo half-tablet.
        "take half" => TakeHalf says "Give a Tribe Marker for a half-tablet",
        /// Placement, transport: do no more in this phase.
        "pass" => Pass says "Pass for the rest of the phase",
        /// Placement: put the figure on a hex, 0 to 41.
        "at <hex>" => At(hex: Hex as place "hex") says "Put the figure on hex <hex>",
        /// Placement: use no power of the figure.
        "no power" => NoPower says "Use no power of the figure",
        /// Placement: use the figure's power of village, hut, forest, or headdress quarry.
        "use power" => UsePower says "Use the power of the figure",
        /// Placement: use the figure's power to reserve an Ahu of its hex, a0 to a25.
        "reserve <ahu>" => Reserve(ahu: Ahu as place "ahu") says "Reserve Ahu <ahu>",
        /// Transport: lift a piece to move, mark, erect, or top it. Moai of size 1, 1a to 1q; of size 2, 2a to 2l; of size
        /// 3, 3a to 3f; headdresses, ha to hn.
        "lift <piece>" => Lift(piece: Piece as piece "piece"),
        /// Transport: move the lifted piece to a neighbouring hex, 0 to 41.
        "enter <hex>" => Enter(hex: Hex as place "hex") says "Move the piece to hex <hex>",
        /// Transport: take help on the hex from the k-th opponent to the left, +1 to +4, who gets a Prestige Point for it
        /// from the bank; it costs the player who moves nothing.
        "pay <opponent>" => Pay(opponent: Payee as opponent) says "Let <opponent> help for a Prestige Point",
        /// Transport, chief_pp=full_size: take help from the Chief of the k-th opponent to the left, +1 to +4, who gets the
        /// size of the piece in Prestige Points from the bank, as the only payment for the hex.
        "pay chief <opponent>" => PayChief(opponent: Payee as opponent) says "Let the Chief of <opponent> help",
        /// Transport, allow_gift_pp: let nobody get more for the hex.
        "enough" => Enough says "Let nobody get more for the hex",
        /// Transport: leave the moved piece on its hex, with its mark if it has one.
        "stop" => Stop says "Leave the piece on its hex",
        /// Transport, end of phase 4: put a Tribe Marker on the piece.
        "mark" => Mark says "Put a Tribe Marker on the piece",
        /// Transport: erect the Moai on an Ahu of its hex, a0 to a25.
        "erect <ahu>" => Erect(ahu: Ahu as place "ahu") says "Erect the Moai on Ahu <ahu>",
        /// Transport: put the headdress on the Moai of an Ahu of its hex, a0 to a25.
        "top <ahu>" => Top(ahu: Ahu as place "ahu") says "Put the headdress on the Moai of Ahu <ahu>",
        /// Placement, transport, base_view=memory: give a half-tablet to look at the base under the Moai of an Ahu, a0 to
        /// a25. The player's action follows.
        "peek <ahu>" => Peek(ahu: Ahu as place "ahu") says "Give a half-tablet to look under the Moai of Ahu <ahu>",
        /// End of phase 4: leave the unmoved piece unmarked.
        "leave" => Leave says "Leave the piece unmarked",
        /// End of turn: leave the Tribe Marker on the piece.
        "keep" => Keep says "Leave the Tribe Marker on the piece",
        /// End of turn: take the Tribe Marker back. Any player may then take the piece.
        "take back" => TakeBack says "Take the Tribe Marker back",
    }
}

#[cfg(test)]
mod tests {
    use ahu_core::{Action as _, ActionId};

    use super::*;

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
            ("", 0, "expected an action, got nothing; actions are \"bid markers <number>\", "),
            ("bid markers 7", 12, "expected number 0 to 6, got \"7\""),
            ("bid leaders all", 12, "unknown choice of leaders \"all\" (expected one of none, sorcerer, chief, both)"),
            ("bid 2", 4, "expected \"markers\" or \"workers\" or \"leaders\" after \"bid\", got \"2\""),
            ("pick 4", 5, "unknown size of Moai \"4\" (expected one of 1, 2, 3)"),
            ("place", 5, "expected chief, or worker or sorcerer"),
            ("place chief 1 log", 6, "got \"chief 1 log\""),
            ("place worker 1 logs", 6, "with \"1 log\""),
            ("at  42", 4, "expected hex 0 to 41, got \"42\""),
            ("erect 9", 6, "expected Ahu a0 to a25, got \"9\""),
            ("lift 3g", 5, "3a to 3f"),
            ("pay +5", 4, "expected opponent to the left, +1 to +4, got \"+5\""),
            ("pay chief +6", 10, "expected opponent to the left, +1 to +4, got \"+6\""),
            ("erect", 5, "expected more after \"erect\", such as \"erect a0\""),
            ("take", 4, "such as \"take half\" or \"take back\""),
            ("  hold", 2, "unknown action \"hold\"; actions are "),
            ("lfit 2a", 0, "did you mean \"lift\"?"),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
