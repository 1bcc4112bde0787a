//! Pictures in pixels: PNG, moving GIF, and arrays of colours, made from the SVG of [`Describe::svg`](ahu_core::Describe::svg).
//!
//! The fonts are embedded, so that a picture is the same on every machine.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::ensure;

/// The widths of pictures, in pixels.
pub const WIDTHS: std::ops::RangeInclusive<u32> = 100..=1600;

/// The greatest height of a picture, in pixels.
const HIGHEST: u32 = 8192;

/// The paper below a picture, as in its stylesheet.
const PAPER: (u8, u8, u8) = (0xF7, 0xF0, 0xE1);

/// The embedded fonts.
static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("raster/DejaVuSans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("raster/DejaVuSans-Bold.ttf").to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".to_owned(), ..Options::default() }
});

/// A picture in pixels, without transparency.
#[derive(Clone, Debug)]
pub struct Raster {
    pixels: Pixmap,
}

impl Raster {
    /// Draws an SVG with this width in pixels.
    ///
    /// # Errors
    /// If the width is not one of [`WIDTHS`], if the picture would be too high, or if the text is no SVG.
    pub fn of(svg: &str, width: u32) -> Result<Self, String> {
        ensure(WIDTHS.contains(&width), || {
            format!("expected a width from {} to {} pixels, got {width}", WIDTHS.start(), WIDTHS.end())
        })?;
        let tree = Tree::from_str(svg, &OPTIONS).map_err(|error| format!("expected SVG: {error}"))?;
        let scale = width as f32 / tree.size().width();
        let size = tree.size().to_int_size().scale_to_width(width).filter(|size| size.height() <= HIGHEST);
        let size =
            size.ok_or_else(|| format!("expected a height of at most {HIGHEST} pixels, got a higher picture"))?;
        let mut pixels = Pixmap::new(width, size.height()).expect("neither width nor height is 0");
        let (red, green, blue) = PAPER;
        pixels.fill(Color::from_rgba8(red, green, blue, 0xFF));
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        Ok(Self { pixels })
    }

    /// Returns the width and the height, in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// Returns red, green, and blue of each pixel, row by row from the top.
    pub fn rgb(&self) -> Vec<u8> {
        self.pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    /// Returns the picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        self.pixels.encode_png().expect("pixels in memory are encoded")
    }
}

/// Returns a GIF file of these pictures, which shows each of them for `delay` hundredths of a second and then begins anew. Lower
/// pictures get paper below them.
pub fn gif(pictures: &[Raster], delay: u16) -> Vec<u8> {
    let largest = |of: fn(&Raster) -> u32| pictures.iter().map(of).max().unwrap_or(1).min(u16::MAX.into()) as u16;
    let (width, height) = (largest(|picture| picture.size().0), largest(|picture| picture.size().1));
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, width, height, &[]).expect("a vector grows");
    encoder.set_repeat(gif::Repeat::Infinite).expect("a vector grows");
    for picture in pictures {
        let (red, green, blue) = PAPER;
        let mut pixels = picture.rgb();
        let whole = usize::from(width) * usize::from(height) * 3;
        while pixels.len() < whole {
            pixels.extend([red, green, blue]);
        }
        let mut frame = gif::Frame::from_rgb_speed(width, height, &pixels, QUANTISATION_SPEED);
        frame.delay = delay;
        encoder.write_frame(&frame).expect("a vector grows");
    }
    drop(encoder);
    file
}

/// The speed of the choice of colours, from 1 (best) to 30 (fastest).
const QUANTISATION_SPEED: i32 = 15;

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\"><circle cx=\"10\" cy=\"10\" r=\"9\" \
                       fill=\"#ff0000\"/><text x=\"22\" y=\"15\" font-size=\"14\">A</text></svg>";

    #[test]
    fn shapes_and_letters_have_pixels() {
        let picture = Raster::of(DOT, 400).expect("a picture");
        assert_eq!(picture.size(), (400, 200));
        let pixels = picture.rgb();
        let pixel = |x: usize, y: usize| &pixels[3 * (400 * y + x)..][..3];
        assert_eq!((pixel(100, 100), pixel(399, 0)), (&[255, 0, 0][..], &[0xF7, 0xF0, 0xE1][..]));
        let is_ink = |x: &usize| pixel(*x, 140)[0] < 60;
        assert!((220..330).any(|x| is_ink(&x)), "a letter is drawn with the embedded font");
        assert!(picture.png().starts_with(b"\x89PNG"));
    }

    #[test]
    fn a_gif_has_a_frame_for_each_picture() {
        let pictures = [DOT, DOT].map(|svg| Raster::of(svg, 100).expect("a picture"));
        let file = gif(&pictures, 50);
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut frames = options.read_info(&file[..]).expect("a GIF");
        let mut count = 0;
        while let Some(frame) = frames.read_next_frame().expect("a frame") {
            assert_eq!((frame.width, frame.height, frame.delay), (100, 50, 50));
            count += 1;
        }
        assert_eq!(count, 2);
    }

    #[test]
    fn a_wrong_width_is_refused() {
        let error = Raster::of(DOT, 20).expect_err("it is too narrow");
        assert_eq!(error, "expected a width from 100 to 1600 pixels, got 20");
        assert!(Raster::of("hello", 200).expect_err("it is no picture").starts_with("expected SVG: "));
    }
}
