//! The sections `[[board]]`: what each board's moves come from, and how they are read.

use std::{collections::BTreeMap, ops::Range, path::PathBuf};

use super::{
    choices::BoardKind,
    problem::Problem,
    raw, valid,
    validate::{Check, span},
    value::{Choice, Key, Origin},
};
use remisd_board::Kind;

impl Check<'_> {
    pub(super) fn boards(&mut self, file: &raw::File) -> Vec<valid::Board> {
        let mut ids = BTreeMap::new();
        let mut ports = BTreeMap::new();
        let mut serials = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        let mut boards = Vec::new();
        for (number, board) in file.board.iter().enumerate() {
            let path = format!("board.{number}");
            let span = board.span();
            let board = board.get_ref();
            self.required(&path, &span, board);
            let id = board.id.value.as_ref().map(|id| id.0.as_str());
            self.unique(&format!("{path}.id"), &board.id, id, &mut ids);
            let port = board.port.value.as_deref();
            self.unique(&format!("{path}.port"), &board.port, port, &mut ports);
            let serial = board.serial.value.as_deref();
            self.unique(
                &format!("{path}.serial"),
                &board.serial,
                serial,
                &mut serials,
            );
            let number = self.number_in_source(&path, board, &mut numbers);
            boards.extend(self.board(&path, board, number));
        }
        boards
    }

    /// Refuses a board that lacks a key without a default.
    fn required(&mut self, path: &str, span: &Range<usize>, board: &raw::Board) {
        let origin = if span.is_empty() {
            Origin::Default
        } else {
            Origin::File(span.clone())
        };
        let kind = board.kind.value.as_ref().and_then(Choice::meaning);
        let place = match kind {
            Some(BoardKind::Pgn | BoardKind::LiveChess) => ("source", board.source.value.is_some()),
            Some(BoardKind::Dgt) | None => ("port", board.port.value.is_some()),
        };
        for (key, given) in [
            ("id", board.id.value.is_some()),
            ("kind", board.kind.value.is_some()),
            place,
        ] {
            if !given {
                self.problems.push(Problem {
                    key: format!("{path}.{key}"),
                    origin: origin.clone(),
                    message: "must be set".to_owned(),
                    allowed: format!("this board has no `{key}`"),
                    beside: None,
                });
            }
        }
    }

    fn unique<'b, T>(
        &mut self,
        path: &str,
        key: &'b Key<T>,
        value: Option<&'b str>,
        seen: &mut BTreeMap<&'b str, &'b Origin>,
    ) {
        let Some(value) = value else {
            return;
        };
        let Some(first) = seen.get(value).copied() else {
            seen.insert(value, &key.origin);
            return;
        };
        self.problems.push(Problem {
            key: path.to_owned(),
            origin: key.origin.clone(),
            message: format!("\"{value}\" belongs to another board already"),
            allowed: "must be different for each board".to_owned(),
            beside: span(first).map(|span| (span, "used here first")),
        });
    }

    /// The board's number in its source: the one that is set, or its place among the boards of the
    /// source. Refuses a number that another board of the source has.
    fn number_in_source<'b>(
        &mut self,
        path: &str,
        board: &'b raw::Board,
        seen: &mut BTreeMap<PathBuf, Vec<(u64, &'b Origin)>>,
    ) -> Option<u32> {
        // A path with a slash at its end is the same path.
        let source = board.source.value.as_deref().map(PathBuf::from)?;
        let taken = seen.entry(source).or_default();
        let path = format!("{path}.number");
        let number = match board.number.value {
            Some(_) => self.number(&path, &board.number)?,
            None => taken.len() as u64 + 1,
        };
        let first = taken.iter().find(|(other, _)| *other == number);
        if let Some((_, first)) = first {
            self.problems.push(Problem {
                key: path,
                origin: board.number.origin.clone(),
                message: format!("another board of this source has the number {number}"),
                allowed: "must be different for each board of a source".to_owned(),
                beside: span(first).map(|span| (span, "used here first")),
            });
        }
        taken.push((number, &board.number.origin));
        u32::try_from(number).ok()
    }

    /// What the board's moves come from. A key of the other kinds is refused.
    fn board_source(
        &mut self,
        path: &str,
        board: &raw::Board,
        number: Option<u32>,
    ) -> Option<valid::BoardSource> {
        let at = |key: &str| format!("{path}.{key}");
        let port = self.path(&at("port"), &board.port);
        let serial = self.text(&at("serial"), &board.serial).map(str::to_owned);
        let poll_ms = self.number(&at("poll_ms"), &board.poll_ms);
        let kind = self.choice(&at("kind"), &board.kind)?;
        let message = || format!("does not belong to a board of the kind \"{kind}\"");
        match kind {
            BoardKind::Dgt => {
                self.refuse_number(path, board, &message());
                if board.source.value.is_some() {
                    let allowed = "leave it out, or set kind = \"pgn\"";
                    self.refuse::<_, ()>(&at("source"), &board.source, message(), allowed);
                }
                Some(valid::BoardSource::Port(valid::BoardPort {
                    kind: Kind::Dgt,
                    port: port?.to_owned(),
                    serial,
                }))
            }
            BoardKind::LiveChess => {
                self.refuse_number(path, board, &message());
                if board.port.value.is_some() {
                    let allowed = "leave it out; the board is named by \"source\" and \"serial\"";
                    self.refuse::<_, ()>(&at("port"), &board.port, message(), allowed);
                }
                if board.serial.value.is_none() {
                    let message = "must be set".to_owned();
                    let allowed = "the number that LiveChess shows for the board";
                    self.refuse::<_, ()>(&at("serial"), &board.serial, message, allowed);
                }
                let url = self.live_chess(&at("source"), &board.source);
                Some(valid::BoardSource::LiveChess(valid::BoardLiveChess {
                    url: url?,
                    serial: serial?,
                }))
            }
            BoardKind::Pgn => {
                let source = self.path(&at("source"), &board.source);
                for (name, key) in [("port", &board.port), ("serial", &board.serial)] {
                    if key.value.is_some() {
                        let allowed = "leave it out; the files are named by \"source\"";
                        self.refuse::<_, ()>(&at(name), key, message(), allowed);
                    }
                }
                Some(valid::BoardSource::Feed(valid::BoardFeed {
                    path: source?.into(),
                    number: number?,
                    poll_ms: poll_ms?,
                }))
            }
        }
    }

    fn refuse_number(&mut self, path: &str, board: &raw::Board, message: &str) {
        if board.number.value.is_some() {
            let allowed = "leave it out, or set kind = \"pgn\"";
            let path = format!("{path}.number");
            self.refuse::<_, ()>(&path, &board.number, message.to_owned(), allowed);
        }
    }

    /// The address of a `LiveChess`, with its port.
    fn live_chess(&mut self, path: &str, key: &Key<String>) -> Option<String> {
        let text = self.text(path, key)?;
        let host = text
            .strip_prefix("ws://")
            .map(|host| host.trim_end_matches('/'));
        let address = host.map(|host| match host.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => format!("ws://{host}"),
            _ => format!("ws://{host}:1982"),
        });
        let is_address = |address: &String| {
            let parsed = address.parse::<axum::http::Uri>();
            parsed.is_ok_and(|uri| uri.port_u16().is_some() && matches!(uri.path(), "" | "/"))
        };
        address.filter(is_address).or_else(|| {
            let message = format!("\"{text}\" is not the address of a LiveChess");
            self.refuse(path, key, message, "allowed: ws://HOST[:PORT]")
        })
    }

    fn board(
        &mut self,
        path: &str,
        board: &raw::Board,
        number: Option<u32>,
    ) -> Option<valid::Board> {
        let at = |key: &str| format!("{path}.{key}");
        let id = self.name(&at("id"), &board.id);
        let source = self.board_source(path, board, number);
        let orientation = self.choice(&at("orientation"), &board.orientation);
        let clock_white = self.choice(&at("clock_white"), &board.clock_white);
        let new_game = self.choice(&at("new_game"), &board.new_game);
        let hand = self.hand(path, &board.hand);
        let dgt = self.dgt(path, &board.dgt);
        Some(valid::Board {
            id: id?,
            source: source?,
            orientation: orientation?,
            clock_white: clock_white?,
            new_game: new_game?,
            hand: hand?,
            dgt: dgt?,
        })
    }

    fn hand(&mut self, path: &str, hand: &raw::Hand) -> Option<valid::Hand> {
        let at = |key: &str| format!("{path}.hand.{key}");
        let new_game = self.number(&at("new_game_ms"), &hand.new_game_ms);
        let mismatch = self.number(&at("mismatch_ms"), &hand.mismatch_ms);
        let promotion = self.choice(&at("promotion"), &hand.promotion);
        let speed = self.number(&at("speed"), &hand.speed);
        Some(valid::Hand {
            new_game_ms: new_game?,
            mismatch_ms: mismatch?,
            promotion: promotion?,
            speed: speed?,
        })
    }

    fn dgt(&mut self, path: &str, dgt: &raw::Dgt) -> Option<valid::Dgt> {
        let at = |key: &str| format!("{path}.dgt.{key}");
        let gap = self.number(&at("command_gap_ms"), &dgt.command_gap_ms);
        let quiet = self.number(&at("quiet_ms"), &dgt.quiet_ms);
        let burst = self.number(&at("burst_ms"), &dgt.burst_ms);
        let dump = self.number(&at("dump_every_ms"), &dgt.dump_every_ms);
        let answer = self.number(&at("answer_ms"), &dgt.answer_ms);
        Some(valid::Dgt {
            command_gap_ms: gap?,
            quiet_ms: quiet?,
            burst_ms: burst?,
            dump_every_ms: dump?,
            answer_ms: answer?,
        })
    }
}
