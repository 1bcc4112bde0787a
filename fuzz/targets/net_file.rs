//! Files of nets: read, and evaluated on an observation of zeros. The digest at the end is not part of the input.

use ahu_core::{ActionId, ActionSet};
use ahu_host::nets::{MAX_NET_FILE, Net, NetRoom};
use sha2::{Digest as _, Sha256};

#[cfg(test)]
#[path = "../../tests/shared/net_bytes.rs"]
mod net_bytes;

/// Takes a net without its digest.
pub fn run(bytes: &[u8]) -> bool {
    let sealed = [bytes, &Sha256::digest(bytes)].concat();
    assert!(sealed.len() <= MAX_NET_FILE, "an input is short");
    let Ok(net) = Net::read(&sealed) else { return false };
    assert!(Net::read(bytes).is_err(), "a net without its digest is incomplete");
    let (bits, numbers) = net.head.rules.observation_size();
    let mut room = NetRoom::default();
    // Zeros are in range of almost every number; the others have their lowest value.
    let mut lowest = vec![0; numbers];
    for (offset, field) in net.head.rules.layout().numbers {
        lowest[offset..offset + field.size()].fill(field.min.max(0).min(field.max));
    }
    net.see_observation(&vec![0; bits.div_ceil(64)], &lowest, net.head.adviser.map(|_| ActionId(1)), &mut room);
    let mut legal = ActionSet::with_ids(net.head.rules.action_count());
    legal.insert_bits(ActionId(0), 0b11);
    let best = net.best(&legal, &room);
    assert!(best == ActionId(u16::from(net.score(ActionId(1), &room) > net.score(ActionId(0), &room))));
    assert!(net.value(&room).is_finite());
    true
}

/// Returns a small net for each game.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let of_game = |rules: &&dyn ahu_host::AnyRules| {
        let mut files = [net_bytes::net_bytes(*rules, &[1], 1), net_bytes::advised_bytes(*rules, "greedy@1", 1, 1)];
        for bytes in &mut files {
            bytes.truncate(bytes.len() - 32);
        }
        files
    };
    ahu_host::GAMES.iter().flat_map(of_game).collect()
}
