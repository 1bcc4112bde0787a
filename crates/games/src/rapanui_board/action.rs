//! The actions, their ids, and their grammar.

use ahu_core::{actions, numbered};

use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::Size;
use super::offering::{Offering, Source};
use super::order::Star;
use super::payment::Payment;
use super::power::{Means, Power};
use super::resource::Resource;
use super::space::{Area, Space};
use super::tile::Tile;

actions! {
    /// One decision of one seat.
    pub enum Action {
        /// Phase 1: place a Villager on a space, 1 to 27 (as far as the map has them), as a Transporter.
        "transporter <space>" => PlaceTransporter(space: Space as place "space")
            says "Place a Transporter on space <space>",
        /// Phase 1: place a Villager in a column of the Moai Quarry, small, medium, large, as a Sculptor.
        "sculptor <column>" => PlaceSculptor(column: Size as place "column")
            says "Place a Sculptor in the <column> column",
        /// Phase 1: place the Sorcerer on a star space, 1 to 6.
        "sorcerer <star>" => PlaceSorcerer(star: Star as place "star") says "Place the Sorcerer on star space <star>",
        /// Phase 1, or in phase 2 before sculpting: place the Chief below a column of the Moai Quarry: small, medium,
        /// large.
        "chief <column>" => PlaceChief(column: Size as place "column") says "Place the Chief below the <column> column",
        /// In your turn: buy an Improvement tile: fervent, artistic, popular, chief.
        "improve <tile>" => Improve(tile: Improvement as piece "improvement") says "Buy the tile \"<tile>\"",
        /// In your turn: play an Ahu tile, or discard the Rongorongo Tablet for the effect of a tile. Each means has all
        /// powers in this order: `barter <give> <take>`, of reeds, eggs, wood, pearls; `chip_in <column>`;
        /// `change_jobs <column>`; `change_jobs <space>`; `rest <space>`; `lend_a_hand sculptor <space>`;
        /// `lend_a_hand chief <space>`; `take_two_more`; `take_three_more`.
        "<means> <power>" => Play(means: Means as kind, power: Power as table) says "<power>, by <means>",
        /// Phase 2: take a Moai: small, medium, large. Larger ones come first.
        "sculpt <size>" => Sculpt(size: Size as piece "cargo") says "Sculpt a <size> Moai",
        /// Phase 2: take no more Moai.
        "sculpt done" => SculptDone says "Sculpt no more Moai",
        /// Phase 3: begin to transport a small, medium, large Moai from the Crater, or a pukao from the Pukao Quarry.
        "transport <cargo>" => Transport(cargo: Cargo as piece "cargo") says "Transport a <cargo>",
        /// Phase 3: transport nothing more in this round.
        "drop out" => DropOut says "Transport nothing more in this round",
        /// Phase 3: end the turn after a transport.
        "end turn" => EndTurn says "End the turn",
        /// Transport: step to an adjacent space, 1 to 27 (as far as the map has them), to the crater, or to the pukao_quarry.
        "step <area>" => Step(area: Area as place "space") says "Go to <area>",
        /// Transport: erect the Moai here, and take a tile of this kind from its ahu: rest, barter, skimp, chip_in,
        /// take_three_more, take_your_pick, change_jobs, lend_a_hand, gain_favor, take_two_more.
        "erect <kind>" => Erect(kind: Tile as piece "tile") says "Erect the Moai and take the tile \"<kind>\"",
        /// Transport: put the Pukao on a Moai here.
        "style" => Style says "Put the Pukao on a Moai here",
        /// Toll for another player's transport over your space of two colours: the Resource to earn: reeds, eggs, wood,
        /// pearls.
        "toll <resource>" => Toll(resource: Resource as piece "resource") says "Earn <resource> as the toll",
        /// For the Moai just erected: take Resources in the colour shown.
        "gain shown" => GainShown says "Gain Resources in the colour shown",
        /// For the Moai just erected, with Fervent: take Resources of the next-higher value.
        "gain shifted" => GainShifted says "Gain Resources of the next-higher value",
        /// For the Moai just erected on a space of two colours: take this number, 0 to 18, in the first colour, and the
        /// rest in the second.
        "gain first <count>" => GainFirst(count: FirstCount as number)
            says "Gain <count> in the first colour, the rest in the second",
        /// Exchange: pay only 2 Resources; by tile, by tablet.
        "<means> skimp" => Skimp(means: Means as kind) says "Pay only 2 Resources, by <means>",
        /// Exchange: take the Offering tile: hut, chicken, hatchet, boat, necklace, each from its stack, then
        /// outstanding.
        "offer <source> <offering>" => Offer(offering: Offering as piece "offering", source: Source as kind)
            says "Take the <offering> (<source>)",
        /// Exchange: pay these Resources, each by its name; Resources worth more than the price are converted. The ids
        /// are all sets of four in the order of their names from reeds to pearls, then all of two.
        "pay <resources>" => Pay(resources: Payment as piece "payment"),
        /// Setup with two players: take an Ahu tile from the display; kinds as in erect.
        "draft <kind>" => Draft(kind: Tile as piece "tile") says "Take the tile \"<kind>\"",
    }
}

/// The largest number of Resources for one Moai: five for a large one, ten for all of Take Two More and Take Three
/// More, three for a tablet.
pub const MAX_GAIN: u8 = 18;

numbered! {
    /// The number of Resources that a player takes in the first colour of a space.
    pub struct FirstCount("a number of Resources from", 0..=MAX_GAIN as usize);
}

#[cfg(test)]
mod tests {
    use ahu_core::{Action as _, ActionId};

    use super::*;

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
            ("", 0, "expected an action, got nothing; actions are \"transporter <space>\", "),
            ("transporter", 11, "expected more after \"transporter\", such as \"transporter 1\""),
            ("transporter 28", 12, "expected a space from 1 to 27, got \"28\""),
            ("transporter 0", 12, "expected a space from 1 to 27, got \"0\""),
            ("sculptor  tiny", 10, "unknown size \"tiny\" (expected one of small, medium, large)"),
            ("sorcerer 7", 9, "expected a star space from 1 to 6"),
            ("tile", 4, "expected a power, got nothing, such as \"rest 12\" or \"skimp\""),
            ("tile gain_favor", 5, "expected a power, got \"gain_favor\", which works by itself"),
            ("tile rest", 9, "expected more after \"rest\", such as \"rest 1\""),
            ("tile lend_a_hand 12", 17, "expected \"sculptor\" or \"chief\" after \"lend_a_hand\", got \"12\""),
            ("tile barter eggs", 12, "expected the Resource to give and the one to take, got \"eggs\""),
            ("tablet take_two_moer", 7, "did you mean \"take_two_more\"?"),
            ("tile skimp now", 11, "expected nothing after \"tile skimp\", got \"now\""),
            ("tile barter eggs eggs", 17, "expected a Resource other"),
            (
                "tablet change_jobs 40",
                19,
                "expected a column (small, medium, large) or a space from 1 to 27, got \"40\"",
            ),
            ("step sea", 5, "\"crater\" and \"pukao_quarry\" are valid too"),
            ("gain", 4, "such as \"gain shown\" or \"gain shifted\" or \"gain first 0\""),
            ("gain first 19", 11, "expected a number of Resources from 0 to 18, got \"19\""),
            ("offer hut", 6, "unknown source \"hut\" (expected one of stack, outstanding)"),
            ("offer stack hat", 12, "did you mean \"hut\"?"),
            ("pay eggs eggs eggs", 4, "expected four Resources, or two with Skimp, got 3"),
            ("end turn now", 9, "expected nothing after \"end turn\", got \"now\""),
            ("transprot small", 0, "did you mean \"transport\"?"),
            ("tabblet rest 3", 0, "did you mean \"tablet\"?"),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
