//! The options: the choices of a table where the editions differ or the rulebook is silent.

use ahu_core::{named, options};

use super::cards::Food;

options! {
    /// The options that the players agree on. The defaults are the German edition with the rulings of the front page.
    pub struct Options(seats: 2..=4) {
        /// The edition of the rulebook. It sets stone_view to top_only for german and to all_face_up for english, unless
        /// stone_view is given too. The table of foods says paper mulberry for german.
        edition: Edition = Edition::German, sets Self::set_stone_view;
        /// The starting player: random, each seat equally likely; seat0, seat 0.
        start_player: StartPlayer = StartPlayer::Random;
        /// The part of the Stone of Sacrifice that observations show before the end: top_only, the card on top;
        /// all_face_up, also the number of face-up cards of each food.
        stone_view: StoneView = StoneView::TopOnly;
        /// The visible cards of the columns: all, every card; front, only the front cards, the others when they are
        /// uncovered.
        display_view: DisplayView = DisplayView::All;
        /// The card from the supply that the builder of a Moai adds to the Stone of Sacrifice: mandatory, always, as the
        /// rule says; optional, at the builder's choice, as in the example.
        moai_supply_sacrifice: SupplySacrifice = SupplySacrifice::Mandatory;
        /// The substitute for a card of a depleted stack: choice, the player must take a card of another food, of the
        /// player's choice; may_decline, the player may decline it.
        depleted_pick: DepletedPick = DepletedPick::Choice;
        /// The worth at the end of a food without sacrifices: ranked, the worth of its rank; worth_0, nothing, while the
        /// other foods keep their rank.
        zero_count_types: ZeroCount = ZeroCount::Ranked;
        /// The food that the start cards of yellow-green lack: they have one Hunter & Gatherer of each other food
        /// (reconstruction).
        start_set_yellowgreen_lacks: Food = Food::Fish;
        /// The food that the start cards of light blue lack: they have one Hunter & Gatherer of each other food
        /// (reconstruction).
        start_set_lightblue_lacks: Food = Food::Mulberry;
        /// The food that the start cards of red lack: they have one Hunter & Gatherer of each other food (reconstruction).
        start_set_red_lacks: Food = Food::SweetPotato;
        /// The food that the start cards of violet lack: they have one Hunter & Gatherer of each other food
        /// (reconstruction).
        start_set_violet_lacks: Food = Food::Grain;
    }
}

named! {
    /// The edition of the rulebook (differences D1 to D15 of the front page).
    pub enum Edition("edition") {
        /// KOSMOS, German.
        German = "german",
        /// The English translation.
        English = "english",
    }

    /// The choice of the starting player (ruling A1).
    pub enum StartPlayer("starting player") {
        /// A random seat.
        Random = "random",
        /// Seat 0.
        Seat0 = "seat0",
    }

    /// The visible part of the Stone of Sacrifice before the end (difference D3).
    pub enum StoneView("view of the stone") {
        /// The card on top.
        TopOnly = "top_only",
        /// All cards that were laid face up.
        AllFaceUp = "all_face_up",
    }

    /// The visible part of the columns (ruling A16).
    pub enum DisplayView("view of the display") {
        /// All cards: they overlap, so that their titles can be read.
        All = "all",
        /// The front cards.
        Front = "front",
    }

    /// The builder's duty to add a card from the supply after building a Moai (ruling A5).
    pub enum SupplySacrifice("supply sacrifice") {
        /// A duty, as the rule says.
        Mandatory = "mandatory",
        /// No duty, as in the example.
        Optional = "optional",
    }

    /// The duty to take a substitute for a card of a depleted stack (ruling A7).
    pub enum DepletedPick("depleted pick") {
        /// A duty; the player chooses the food.
        Choice = "choice",
        /// No duty.
        MayDecline = "may_decline",
    }

    /// The worth of a food without sacrifices (ruling A12).
    pub enum ZeroCount("worth of a food without sacrifices") {
        /// The worth of its rank.
        Ranked = "ranked",
        /// Nothing.
        WorthZero = "worth_0",
    }

    /// The colour of a player's start cards.
    pub enum Colour("colour") {
        /// Yellow-green.
        YellowGreen = "yellowgreen",
        /// Light blue.
        LightBlue = "lightblue",
        /// Red.
        Red = "red",
        /// Violet.
        Violet = "violet",
    }
}

impl Options {
    /// Returns the food that the start cards of a colour lack.
    pub const fn lacking_food(&self, colour: Colour) -> Food {
        match colour {
            Colour::YellowGreen => self.start_set_yellowgreen_lacks,
            Colour::LightBlue => self.start_set_lightblue_lacks,
            Colour::Red => self.start_set_red_lacks,
            Colour::Violet => self.start_set_violet_lacks,
        }
    }

    fn set_stone_view(&mut self) {
        self.stone_view = match self.edition {
            Edition::German => StoneView::TopOnly,
            Edition::English => StoneView::AllFaceUp,
        };
    }
}
