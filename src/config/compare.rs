//! The sections `[board.compare]`: the second account of the game with which a board is compared.

use std::collections::BTreeMap;

use super::{
    board::location_of,
    problem::Problem,
    raw, valid,
    validate::Check,
    value::{Key, Origin, Value},
};
use remisd_feed::Location;
use remisd_vocabulary::name::BoardId;

/// The numbers that boards have in a source, and where they are set.
pub(super) type Numbers<'b> = BTreeMap<Location, Vec<(u64, &'b Origin)>>;

impl Check<'_> {
    /// The second account of a board, if it has a valid one. `number` is its number in the source.
    pub(super) fn compare(
        &mut self,
        path: &str,
        compare: &raw::Compare,
        number: Option<u32>,
    ) -> Option<valid::Compare> {
        let at = |key: &str| format!("{path}.compare.{key}");
        let has_source = compare.source.value.is_some();
        let polling: [(&str, &dyn Value); 2] =
            [("number", &compare.number), ("poll_ms", &compare.poll_ms)];
        if !has_source {
            let message = "belongs to \"source\"";
            self.refuse_keys(
                &format!("{path}.compare"),
                &polling,
                message,
                "leave it out",
            );
        }
        if compare.board.value.is_some() {
            if has_source {
                let message = "a board is compared with a source or with a board".to_owned();
                let allowed = "leave one of them out";
                return self.refuse(&at("board"), &compare.board, message, allowed);
            }
            let board = self.name(&at("board"), &compare.board)?;
            return Some(valid::Compare::Board(board));
        }
        if !has_source {
            return None;
        }
        let location = self.location(&at("source"), &compare.source);
        let poll_ms = self.poll_ms(&at("poll_ms"), &compare.poll_ms, location.as_ref());
        Some(valid::Compare::Feed(valid::BoardFeed {
            location: location?,
            number: number?,
            poll_ms: poll_ms?,
        }))
    }

    /// Refuses a second account that is the same game of the board's own source. It would always
    /// agree.
    pub(super) fn compared_with_itself(&mut self, path: &str, board: &raw::Board) {
        let own = location_of(&board.source);
        if own.is_some() && own == location_of(&board.compare.source) {
            self.refuse::<_, ()>(
                &format!("{path}.compare.source"),
                &board.compare.source,
                "this is the game that the board itself has".to_owned(),
                "name another source, or set another number",
            );
        }
    }

    /// Refuses boards that are compared with themselves or with a board that there is not.
    pub(super) fn compared_boards(&mut self, file: &raw::File) {
        let ids: Vec<Option<BoardId>> = (file.board.iter())
            .map(|board| board.get_ref().id.value.as_ref()?.0.parse().ok())
            .collect();
        for (number, board) in file.board.iter().enumerate() {
            let key = &board.get_ref().compare.board;
            let named = key.value.as_ref().and_then(|name| name.0.parse().ok());
            let Some(named) = named else {
                continue;
            };
            let own = ids.get(number).cloned().flatten();
            let message = if own.as_ref() == Some(&named) {
                "a board cannot be compared with itself".to_owned()
            } else if ids.contains(&Some(named.clone())) {
                continue;
            } else {
                format!("there is no board \"{named}\"")
            };
            self.refuse_compared(&format!("board.{number}.compare.board"), key, message);
        }
    }

    fn refuse_compared<T>(&mut self, path: &str, key: &Key<T>, message: String) {
        self.problems.push(Problem {
            key: path.to_owned(),
            origin: key.origin.clone(),
            message,
            allowed: "allowed: the id of another board".to_owned(),
            beside: None,
        });
    }
}
