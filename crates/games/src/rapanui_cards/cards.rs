//! The cards: sacrifice cards of four foods, and the people and Moai of the display.

use ahu_core::named;
use ahu_core::parts::counts::{Counts, WORD};

named! {
    /// The four sorts of sacrifice cards. Each Hunter & Gatherer brings cards of one food.
    pub enum Food("food") {
        /// Fish.
        Fish = "fish",
        /// Mulberries; paper mulberries in the German edition.
        Mulberry = "mulberry",
        /// Sweet potatoes.
        SweetPotato = "sweet_potato",
        /// Grain.
        Grain = "grain",
    }

    /// The kind of a card of the display. Four kinds are Hunters & Gatherers, one for each food, with the food's name.
    pub enum Kind("card") {
        /// A Hunter & Gatherer of fish.
        Fish = "fish",
        /// A Hunter & Gatherer of mulberries.
        Mulberry = "mulberry",
        /// A Hunter & Gatherer of sweet potatoes.
        SweetPotato = "sweet_potato",
        /// A Hunter & Gatherer of grain.
        Grain = "grain",
        /// A lumberjack.
        Lumberjack = "lumberjack",
        /// A priest.
        Priest = "priest",
        /// A Moai.
        Moai = "moai",
    }
}

impl Kind {
    /// Returns the Hunter & Gatherer of a food.
    #[inline]
    pub const fn gatherer(of: Food) -> Self {
        Self::ALL[of as usize]
    }

    /// Returns the food of a Hunter & Gatherer; None for other kinds.
    #[inline]
    pub const fn food(self) -> Option<Food> {
        Food::new(self as usize)
    }
}

/// Sacrifice cards, by food.
pub type Foods = Counts<Food, WORD>;
/// Cards of the display, by kind.
pub type KindCounts = Counts<Kind, WORD>;

/// The number of Moai in the deck.
pub const MOAI: usize = 9;
/// The 50 cards of the deck.
pub const DECK: KindCounts = KindCounts::of([5, 5, 5, 5, 12, 9, MOAI as u8]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for (index, food) in Food::ALL.into_iter().enumerate() {
            assert_eq!((food.to_string().parse(), Food::new(index)), (Ok(food), Some(food)));
            assert_eq!((Kind::gatherer(food).to_string(), Kind::gatherer(food).food()), (food.to_string(), Some(food)));
        }
        assert_eq!(Food::new(Food::COUNT), None);
        let error = "lumberjak".parse::<Kind>().expect_err("the name is misspelled");
        assert!(error.message.contains("did you mean \"lumberjack\"?"), "{error}");
        assert!("priest".parse::<Food>().is_err());
    }

    #[test]
    fn sorts_have_their_places() {
        assert!(Kind::ALL.iter().enumerate().all(|(place, kind)| kind.index() == place));
        assert!(Food::ALL.iter().enumerate().all(|(place, food)| food.index() == place));
    }

    #[test]
    fn the_deck_has_fifty_cards_one_after_the_other() {
        assert_eq!(DECK.total(), 50);
        let laid_out: Vec<Kind> = (0..51).map_while(|n| DECK.nth(n)).collect();
        assert_eq!((laid_out.len(), laid_out.is_sorted()), (50, true));
        assert_eq!(laid_out.into_iter().collect::<KindCounts>(), DECK);
        assert_eq!(KindCounts::EMPTY.nth(0), None);
    }

    #[test]
    fn cards_are_told_by_sort() {
        let foods: Foods = [Food::Grain, Food::Fish, Food::Grain].into_iter().collect();
        assert_eq!((foods.to_string(), foods.bits(), foods.total()), ("fish, grain x2".to_owned(), 0b1001, 3));
        assert_eq!(Foods::EMPTY.to_string(), "nothing");
        let other = Foods::of([1, 1, 0, 1]);
        assert_eq!((foods.more_than([other]), other.more_than([foods]), foods.more_than([])), (0b1000, 0b0010, 0xFF));
        assert_eq!((foods.is_within(other), Foods::of([0, 0, 0, 2]).is_within(foods)), (false, true));
        assert_eq!(foods - Foods::of([1, 0, 0, 1]) + other, Foods::of([1, 1, 0, 2]));
    }
}
