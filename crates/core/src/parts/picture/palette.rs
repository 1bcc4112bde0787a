//! The colours of pictures, as a stylesheet.

/// The stylesheet of all pictures. It is the same text in every picture, so that a page can allow it by its hash.
pub const STYLE: &str = concat!(include_str!("seats.css"), include_str!("style.css"));

/// The stylesheet and all symbols as a picture that shows nothing, for the pictures beside it.
pub const KIT: &str = concat!(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" display=\"none\"><style>",
    include_str!("seats.css"),
    include_str!("style.css"),
    "</style>",
    include_str!("symbols.svg"),
    "</svg>\n"
);

/// The part of the stylesheet with the colours of the seats, in light and in dark mode. Nothing else chooses a colour for a seat:
/// class `s0` has the colour of seat 0, and class `on` the colour of a number on it.
pub const SEAT_STYLE: &str = include_str!("seats.css");

#[cfg(test)]
mod tests {
    use super::*;

    /// The red, green, and blue parts of a colour as light, from 0 to 1.
    type Light = [f64; 3];

    /// Returns the rules of a part of a stylesheet for light and for dark mode.
    fn schemes(style: &str) -> [&str; 2] {
        style.split_once("@media (prefers-color-scheme:dark){").expect("a part for dark mode").into()
    }

    /// Returns the colour that the last rule of a class gives to a property; None without such a rule.
    fn colour(rules: &str, class: &str, property: &str) -> Option<Light> {
        let (_, rule) = rules.rsplit_once(&format!(".{class}{{"))?;
        let declarations = rule.split('}').next()?.split(';');
        let digits = declarations.filter_map(|line| line.split_once(':')).find(|(name, _)| *name == property)?.1;
        let digits = digits.strip_prefix('#')?;
        let long: String = digits.chars().flat_map(|digit| [digit; 2]).collect();
        let digits = if digits.len() == 3 { &long } else { digits };
        Some(std::array::from_fn(|part| {
            let value = f64::from(u8::from_str_radix(&digits[2 * part..][..2], 16).expect("digits")) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        }))
    }

    fn weighted(light: Light, weights: Light) -> f64 {
        light.iter().zip(weights).map(|(part, weight)| part * weight).sum()
    }

    fn luminance(light: Light) -> f64 {
        weighted(light, [0.2126, 0.7152, 0.0722])
    }

    /// Returns the contrast of two colours, from 1 to 21, as WCAG defines it.
    fn contrast(one: Light, other: Light) -> f64 {
        let [one, other] = [one, other].map(luminance);
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Returns the distance of two colours in Oklab, from 0 to 100.
    fn distance(one: Light, other: Light) -> f64 {
        let [one, other] = [one, other].map(|light| {
            let cones = [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ];
            let cones = cones.map(|weights| weighted(light, weights).max(0.0).cbrt());
            let axes = [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ];
            axes.map(|weights| weighted(cones, weights))
        });
        100.0 * one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    }

    /// The eyes of people: all cones, and without the cones for red, green, or blue (Machado, Oliveira, and Fernandes, 2009).
    const EYES: [[Light; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ];

    #[test]
    fn the_colours_of_seats_can_be_read_and_told_apart_by_everybody() {
        for (rules, whole) in schemes(SEAT_STYLE).into_iter().zip(schemes(&STYLE[SEAT_STYLE.len()..])) {
            let number = colour(rules, "on", "color").expect("a colour for numbers");
            let paper = colour(whole, "paper", "fill").expect("a colour");
            let seats: Vec<Light> =
                (0..6).map(|seat| colour(rules, &format!("s{seat}"), "color").expect("a colour")).collect();
            for (place, &seat) in seats.iter().enumerate() {
                assert!(contrast(seat, number) >= 4.5, "the number on seat {place} in {rules}");
                assert!(contrast(seat, paper) >= 3.0, "seat {place} on paper in {rules}");
                for (other, &later) in seats.iter().enumerate().skip(place + 1) {
                    for eye in EYES {
                        let [one, two] =
                            [seat, later].map(|light| eye.map(|weights| weighted(light, weights).clamp(0.0, 1.0)));
                        assert!(distance(one, two) >= 9.0, "seats {place} and {other} in {rules} for {eye:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn text_can_be_read_on_its_grounds() {
        let [light, dark] = schemes(&STYLE[SEAT_STYLE.len()..]);
        let inks = |rules: &str, ink: &str| match ink {
            // The classes of seats have their colours in another file.
            "text" => colour(rules, "ink", "fill"),
            class => colour(rules, class, "fill"),
        };
        let land = "grass grass2 wooded earth rock red lagoon cliff sand cloth ktu kwo kpr kfi kmu kpo kgr kfo kpe kst kev half \
                    dry tl prize bone thatch medal chip face";
        let grounds = [
            ("onp", land),
            ("wh", "sea deep tuff scoria back"),
            ("text", "panel turn well paper"),
            ("q", "panel turn well paper"),
            ("warn", "panel turn"),
        ];
        for (ink, grounds) in grounds {
            for ground in grounds.split(' ') {
                for rules in [light, dark] {
                    // What a dark scheme does not name keeps its colour.
                    let of = |class: &str| inks(rules, class).or_else(|| inks(light, class)).expect("a colour");
                    let found = contrast(of(ink), of(ground));
                    assert!(found >= 4.5, "{ink} on {ground}: {found:.2}, in {}", &rules[..60]);
                }
            }
        }
    }
}
