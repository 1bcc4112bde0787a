//! Files that commands read and write.

pub(super) mod folders;
pub(super) mod key_file;
pub(super) mod record_file;
