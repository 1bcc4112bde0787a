//! The picture of the table.

use ahu_core::Draw;
use ahu_core::parts::picture::Picture;

use super::view::View;

impl Draw for View {
    fn draw(&self, _before: Option<&Self>, _picture: &mut Picture<'_>) -> f32 {
        62.0
    }
}
