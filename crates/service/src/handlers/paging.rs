//! Pages of lists. The token of a page is opaque: it names the first item of the page, and the filter of the list.

use ahu_core::hex;
use ahu_host::api::ApiError;
use sha2::{Digest as _, Sha256};

use crate::limits::{DEFAULT_PAGE, MAX_PAGE};

/// The length of each of the two parts of a token, in bytes.
const PART: usize = 8;

/// The page that a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    /// The maximum number of items.
    pub(crate) size: usize,
    /// The number of the first item; None on the first page.
    pub(crate) first: Option<u64>,
    /// A hash of the filter.
    filter: [u8; PART],
}

impl Paging {
    /// Reads the size and the token of a page of a list with this filter. A token belongs to one filter.
    pub(crate) fn read(size: u32, token: &str, filter: &[u8]) -> Result<Self, ApiError> {
        let filter = *Sha256::digest(filter).first_chunk().expect("a digest is longer");
        let size = if size == 0 { DEFAULT_PAGE } else { MAX_PAGE.min(size as usize) };
        let mut paging = Self { size, first: None, filter };
        if token.is_empty() {
            return Ok(paging);
        }
        let first = token.get(..2 * PART).and_then(|number| u64::from_str_radix(number, 16).ok());
        paging.first = first.filter(|&first| paging.token(first) == token);
        let message = "expected the next_page_token of an earlier page of the same list, got another text";
        paging.first.map(|_| paging).ok_or_else(|| ApiError::bad_field("page_token", message))
    }

    /// Returns the items of the page, and the token of the next page; an empty token on the last page.
    pub(crate) fn page<T>(&self, items: impl Iterator<Item = T>) -> (Vec<T>, String) {
        let first = self.first.unwrap_or(0) as usize;
        let mut page: Vec<_> = items.skip(first).take(self.size + 1).collect();
        let has_next = page.len() > self.size;
        page.truncate(self.size);
        (page, if has_next { self.token((first + self.size) as u64) } else { String::new() })
    }

    /// Returns the token of the page that begins with this item.
    pub(crate) fn token(&self, first: u64) -> String {
        hex(&[first.to_be_bytes(), self.filter].concat())
    }
}
