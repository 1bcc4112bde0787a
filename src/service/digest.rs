//! Digests.

/// A SHA-256 digest.
pub(super) type Digest = [u8; 32];
