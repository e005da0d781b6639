//! The topics that pages may know, by their names without site and audience.

use remisd_vocabulary::name::{BoardId, NodeId};

/// A topic of this site that pages may know.
pub(super) struct SiteTopic<'a> {
    pub name: &'a str,
    pub board: Option<BoardId>,
    pub leaf: &'a str,
}

/// Parses `<board>/<leaf>` and `node/<node>/<leaf>`.
pub(super) fn place(name: &str) -> Option<SiteTopic<'_>> {
    let is_word = |word: &str| {
        (1..=32).contains(&word.len())
            && (word.bytes()).all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let (first, rest) = name.split_once('/')?;
    if first == "node" && rest.contains('/') {
        let (node, leaf) = rest.split_once('/')?;
        node.parse::<NodeId>().ok()?;
        return is_word(leaf).then_some(SiteTopic {
            name,
            board: None,
            leaf,
        });
    }
    let board = first.parse().ok()?;
    is_word(rest).then_some(SiteTopic {
        name,
        board: Some(board),
        leaf: rest,
    })
}
