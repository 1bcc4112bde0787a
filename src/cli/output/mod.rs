//! Output of several commands: the outcome of a match, the plies of a record, the figures of a search, and messages as JSON.

pub(super) mod analysis_table;
pub(super) mod match_outcome;
pub(super) mod record_pages;

use std::sync::OnceLock;

use ahu::proto::DESCRIPTORS;
use ahu_engine::host::Any;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use serde::{Serialize, Serializer};

/// A message of a service or a game, in the JSON form of protobuf.
pub(super) struct MessageJson(DynamicMessage);

impl Serialize for MessageJson {
    /// Writes all fields under their names in `proto/`. Fields with their default value are included, so that a program without
    /// protobuf need not know the defaults.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
        self.0.serialize_with_options(serializer, &options)
    }
}

impl MessageJson {
    /// Decodes a message of this crate, with the descriptors that reflection serves too.
    pub(super) fn of(message: &Any) -> Self {
        static POOL: OnceLock<DescriptorPool> = OnceLock::new();
        let pool = POOL.get_or_init(|| DescriptorPool::decode(DESCRIPTORS).expect("the build has checked them"));
        let name = message.type_url.rsplit('/').next().unwrap_or_default();
        let descriptor = pool.get_message_by_name(name).expect("the descriptors have all messages");
        Self(DynamicMessage::decode(descriptor, &*message.value).expect("it was encoded from this message"))
    }
}
