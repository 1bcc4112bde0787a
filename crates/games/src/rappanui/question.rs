//! The question for the decision of a viewer: what may be done, and what it brings.

use ahu_core::Ask;
use ahu_core::parts::lines::{counted, joined};

use super::phase::Phase;
use super::table::Table;
use super::view::View;

impl Ask for View {
    fn question(&self) -> String {
        let Table { phase, player, options, .. } = self.table;
        if !self.viewer.is(player) {
            return String::new();
        }
        match phase {
            Phase::Conflict => {
                let seats = options.seats;
                let opponents = (1..seats.count()).map(|k| format!("+{k} is seat {}", seats.left_of(player, k)));
                format!(
                    "Play one event against an opponent, or none? A Raid steals a random card, a Huri Moai takes 2 Moai \
                     points, and a Disaster makes the opponent discard 2 random cards. {}.",
                    joined(opponents, ", ")
                )
            }
            Phase::Meld { laid } => {
                let which =
                    if options.combine_rule { "one or more cards of each suit" } else { "one card of each suit" };
                let lowest = if options.combine_rule { "the lowest sum of a suit" } else { "its lowest number" };
                let ask = if laid.is_empty() { "Play a meld, or none?" } else { "Which card of the meld is next?" };
                format!(
                    "{ask} A meld has {which}, laid in the order Food, Wood, People, Stone, and brings as many Moai points \
                     as {lowest}."
                )
            }
            Phase::Decline { excess, .. } => {
                let cards = counted(excess, "card");
                let order = "in the order Food, Wood, People, Stone, raid, huri, Disasters, and by number within a suit: \
                             a card before the one that you choose stays in your hand";
                match excess {
                    1 => format!("Discard which card? {cards} is left to discard."),
                    _ => format!("Discard which card first? {cards} are left to discard, {order}."),
                }
            }
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => String::new(),
        }
    }
}
