//! The files of the page, which are part of the program.

use std::collections::HashMap;
use std::sync::LazyLock;

use ahu_core::hex;
use ahu_host::{PICTURE_KIT, SEAT_STYLE};
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use super::answer::plain;

/// The first file, which is all pages.
const INDEX: &str = include_str!("site/index.html");

/// The other files, by name.
const FILES: [(&str, &str); 19] = [
    ("account.js", include_str!("site/account.js")),
    ("api.js", include_str!("site/api.js")),
    ("board.js", include_str!("site/board.js")),
    ("cups.js", include_str!("site/cups.js")),
    ("debug.js", include_str!("site/debug.js")),
    ("dom.js", include_str!("site/dom.js")),
    ("icon-turn.svg", include_str!("site/icon-turn.svg")),
    ("icon.svg", include_str!("site/icon.svg")),
    ("kit.svg", PICTURE_KIT),
    ("ladder.js", include_str!("site/ladder.js")),
    ("lobby.js", include_str!("site/lobby.js")),
    ("main.js", include_str!("site/main.js")),
    ("match.js", include_str!("site/match.js")),
    ("play.js", include_str!("site/play.js")),
    ("replay.js", include_str!("site/replay.js")),
    ("rules.js", include_str!("site/rules.js")),
    ("seat.js", include_str!("site/seat.js")),
    ("seats.css", SEAT_STYLE),
    ("style.css", include_str!("site/style.css")),
];

/// The tags of the files by content, so that a browser loads a file again only if it has changed.
static TAGS: LazyLock<HashMap<&str, HeaderValue>> = LazyLock::new(|| {
    let tag = |content: &str| {
        let tag = format!("\"{}\"", hex(&Sha256::digest(content)[..8]));
        HeaderValue::from_str(&tag).expect("digits are a header")
    };
    let all = FILES.iter().copied().chain([("index.html", INDEX)]);
    all.map(|(name, content)| (name, tag(content))).collect()
});

/// Answers with the first file.
pub(super) async fn index(headers: HeaderMap) -> Response {
    answer("index.html", INDEX, &headers)
}

/// Answers with the file of this name.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match FILES.iter().find(|(own, _)| *own == name) {
        Some((name, content)) => answer(name, content, &headers),
        None => plain(StatusCode::NOT_FOUND, "expected the name of a file of the page".to_owned()),
    }
}

fn answer(name: &str, content: &'static str, asked: &HeaderMap) -> Response {
    let tag = TAGS[name].clone();
    let content_type = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let is_known = asked.get(IF_NONE_MATCH) == Some(&tag);
    let headers = [
        (ETAG, tag),
        // The browser asks each time whether the file has changed.
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (CONTENT_TYPE, HeaderValue::from_static(content_type)),
    ];
    match is_known {
        true => (StatusCode::NOT_MODIFIED, headers).into_response(),
        false => (headers, content).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The maximum size of all files of the page itself, in bytes.
    const MAX_BYTES: usize = 120_000;

    /// The files that come from the drawing of pictures.
    const OF_PICTURES: [&str; 2] = ["kit.svg", "seats.css"];

    #[test]
    fn the_list_has_the_files_of_the_folder_and_together_they_are_small() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/web/site");
        let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").file_name());
        let mut found: Vec<String> = names.map(|name| name.into_string().expect("a name in Unicode")).collect();
        found.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).chain(["index.html"]).collect();
        listed.retain(|name| !OF_PICTURES.contains(name));
        listed.sort_unstable();
        assert_eq!(found, listed);
        let own = FILES.iter().filter(|(name, _)| !OF_PICTURES.contains(name));
        let bytes = INDEX.len() + own.map(|(_, content)| content.len()).sum::<usize>();
        assert!(bytes < MAX_BYTES, "expected less than {MAX_BYTES} bytes, got {bytes}");
    }

    /// A second palette would need a rule for each seat.
    #[test]
    fn only_the_stylesheet_of_the_engine_chooses_colours_for_seats() {
        for (name, content) in
            FILES.iter().filter(|(name, _)| !OF_PICTURES.contains(name)).chain([&("index.html", INDEX)])
        {
            for seat in 0..6 {
                for rule in [format!(".s{seat}"), format!("seat{seat}"), format!("curve{seat}")] {
                    assert!(!content.contains(&rule), "{name} has {rule}");
                }
            }
        }
    }
}
