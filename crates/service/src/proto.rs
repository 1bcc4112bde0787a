//! The protos as Rust: the messages of the engine, the services over them, and messages as JSON. This module uses no other
//! module.

use std::sync::OnceLock;

pub use ahu_messages::{DESCRIPTORS, giants, rapanui_board, rapanui_cards, rappanui};
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use prost_types::Any;
use serde::{Serialize, Serializer};

/// Package `ahu.v1`.
#[expect(clippy::pedantic, reason = "generated; the protos are documented")]
pub mod v1 {
    pub use ahu_messages::v1::*;

    include!(concat!(env!("OUT_DIR"), "/ahu.v1.rs"));
}

/// Package `ahu.cup.v1beta1`.
#[expect(clippy::pedantic, reason = "generated; the protos are documented")]
pub mod cup {
    pub use ahu_messages::cup::v1beta1::*;

    include!(concat!(env!("OUT_DIR"), "/ahu.cup.v1beta1.rs"));
}

/// A message of a service or a game, in the JSON form of protobuf.
#[derive(Debug)]
pub struct MessageJson(Option<DynamicMessage>);

impl Serialize for MessageJson {
    /// Writes all fields under their names in `proto/`. Fields with their default value are included, so that a program without
    /// protobuf need not know the defaults.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
        match &self.0 {
            Some(message) => message.serialize_with_options(serializer, &options),
            None => serializer.serialize_none(),
        }
    }
}

impl MessageJson {
    /// Decodes a message with the descriptors that reflection serves too. A message of another crate, whose descriptors are not
    /// there, is null.
    pub fn of(message: &Any) -> Self {
        static POOL: OnceLock<DescriptorPool> = OnceLock::new();
        let pool = POOL.get_or_init(|| DescriptorPool::decode(DESCRIPTORS).expect("the build has checked them"));
        let name = message.type_url.rsplit('/').next().unwrap_or_default();
        let descriptor = pool.get_message_by_name(name);
        let decode = |descriptor| DynamicMessage::decode(descriptor, &*message.value);
        Self(descriptor.map(|descriptor| decode(descriptor).expect("it was encoded from this message")))
    }
}
