//! The sections `[[board]]`: what each board's moves come from, and how they are read.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::PathBuf,
};

use super::{
    choices::BoardKind,
    compare::Numbers,
    masked::without_user,
    problem::Problem,
    raw, valid,
    validate::{Check, span},
    value::{Choice, Count, Key, Ms, Origin, Value},
};
use remisd_board::Kind;
use remisd_feed::{LICHESS_STREAMS, Location};

/// How often files and addresses are looked at by default, in milliseconds, and addresses at most.
const FILES_MS: u64 = 1_000;
const ADDRESS_MS: u64 = 5_000;
const MOST_OFTEN_MS: u64 = 1_000;

impl Check<'_> {
    pub(super) fn boards(&mut self, file: &raw::File) -> Vec<valid::Board> {
        let mut ids = BTreeMap::new();
        let mut ports = BTreeMap::new();
        let mut serials = BTreeMap::new();
        let (mut numbers, mut compared) = (Numbers::new(), Numbers::new());
        let mut streams = 0;
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
            let number = self.number_in_source(&path, &board.source, &board.number, &mut numbers);
            self.streams_of_lichess(&path, &board.source, &numbers, &compared, &mut streams);
            let (second, within) = (&board.compare, format!("{path}.compare"));
            let other =
                self.number_in_source(&within, &second.source, &second.number, &mut compared);
            self.streams_of_lichess(&within, &second.source, &numbers, &compared, &mut streams);
            if number == other {
                self.compared_with_itself(&path, board);
            }
            boards.extend(self.board(&path, board, (number, other)));
        }
        self.compared_boards(file);
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
            Some(BoardKind::Pgn | BoardKind::LiveChess) => {
                Some(("source", board.source.value.is_some()))
            }
            Some(BoardKind::Dgt) | None => Some(("port", board.port.value.is_some())),
            Some(BoardKind::Commands) => None,
        };
        let always = [
            ("id", board.id.value.is_some()),
            ("kind", board.kind.value.is_some()),
        ];
        for (key, given) in always.into_iter().chain(place) {
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
        source: &Key<String>,
        number: &'b Key<Count<1, 10_000>>,
        seen: &mut Numbers<'b>,
    ) -> Option<u32> {
        let taken = seen.entry(location_of(source)?).or_default();
        let path = format!("{path}.number");
        let origin = &number.origin;
        let number = match number.value {
            Some(_) => self.number(&path, number)?,
            None => taken.len() as u64 + 1,
        };
        let first = taken.iter().find(|(other, _)| *other == number);
        if let Some((_, first)) = first {
            self.problems.push(Problem {
                key: path,
                origin: origin.clone(),
                message: format!("another board of this source has the number {number}"),
                allowed: "must be different for each board of a source".to_owned(),
                beside: span(first).map(|span| (span, "used here first")),
            });
        }
        taken.push((number, origin));
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
        let kind = self.choice(&at("kind"), &board.kind)?;
        let message = || format!("does not belong to a board of the kind \"{kind}\"");
        if kind != BoardKind::LiveChess {
            let key = &board.compare.livechess;
            let keys: [(&str, &dyn Value); 1] = [("compare.livechess", key)];
            let allowed = "leave it out, or set kind = \"livechess\"";
            self.refuse_keys(path, &keys, &message(), allowed);
        }
        match kind {
            BoardKind::Dgt => {
                self.refuse_polling(path, board, &message());
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
                self.refuse_polling(path, board, &message());
                self.refuse_dgt(path, board, &message());
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
                let compared = self.choice(&at("compare.livechess"), &board.compare.livechess);
                Some(valid::BoardSource::LiveChess(valid::BoardLiveChess {
                    url: url?,
                    serial: serial?,
                    compared: compared?,
                }))
            }
            BoardKind::Commands => {
                self.refuse_polling(path, board, &message());
                self.refuse_sensors(path, board, &message());
                self.refuse_dgt(path, board, &message());
                let keys: [(&str, &dyn Value); 3] = [
                    ("port", &board.port),
                    ("source", &board.source),
                    ("serial", &board.serial),
                ];
                let allowed = "leave it out; devices enter the moves by commands";
                self.refuse_keys(path, &keys, &message(), allowed);
                Some(valid::BoardSource::Commands)
            }
            BoardKind::Pgn => {
                self.refuse_sensors(path, board, &message());
                self.refuse_dgt(path, board, &message());
                let location = self.location(&at("source"), &board.source);
                for (name, key) in [("port", &board.port), ("serial", &board.serial)] {
                    if key.value.is_some() {
                        let allowed = "leave it out; the games are named by \"source\"";
                        self.refuse::<_, ()>(&at(name), key, message(), allowed);
                    }
                }
                let poll_ms = self.poll_ms(&at("poll_ms"), &board.poll_ms, location.as_ref());
                Some(valid::BoardSource::Feed(valid::BoardFeed {
                    location: location?,
                    number: number?,
                    poll_ms: poll_ms?,
                }))
            }
        }
    }

    /// Refuses keys that are set although the board has no use for them.
    pub(super) fn refuse_keys(
        &mut self,
        path: &str,
        keys: &[(&str, &dyn Value)],
        message: &str,
        allowed: &str,
    ) {
        let is_set = |(_, key): &&(&str, &dyn Value)| *key.origin() != Origin::Default;
        let problems = keys.iter().filter(is_set).map(|(name, key)| Problem {
            key: format!("{path}.{name}"),
            origin: key.origin().clone(),
            message: message.to_owned(),
            allowed: allowed.to_owned(),
            beside: None,
        });
        self.problems.extend(problems);
    }

    /// Refuses the keys of a source that is looked at again and again.
    fn refuse_polling(&mut self, path: &str, board: &raw::Board, message: &str) {
        let keys: [(&str, &dyn Value); 2] =
            [("number", &board.number), ("poll_ms", &board.poll_ms)];
        let allowed = "leave it out, or set kind = \"pgn\"";
        self.refuse_keys(path, &keys, message, allowed);
    }

    /// Refuses the keys of sensors for a board whose moves come without any.
    fn refuse_sensors(&mut self, path: &str, board: &raw::Board, message: &str) {
        let hand = &board.hand;
        let keys: [(&str, &dyn Value); 7] = [
            ("orientation", &board.orientation),
            ("clock_white", &board.clock_white),
            ("new_game", &board.new_game),
            ("hand.new_game_ms", &hand.new_game_ms),
            ("hand.mismatch_ms", &hand.mismatch_ms),
            ("hand.promotion", &hand.promotion),
            ("hand.speed", &hand.speed),
        ];
        let allowed = "leave it out; the moves are taken as they come";
        self.refuse_keys(path, &keys, message, allowed);
    }

    /// Refuses the keys of the DGT protocol for a board that does not speak it here.
    fn refuse_dgt(&mut self, path: &str, board: &raw::Board, message: &str) {
        let dgt = &board.dgt;
        let keys: [(&str, &dyn Value); 5] = [
            ("dgt.command_gap_ms", &dgt.command_gap_ms),
            ("dgt.quiet_ms", &dgt.quiet_ms),
            ("dgt.burst_ms", &dgt.burst_ms),
            ("dgt.dump_every_ms", &dgt.dump_every_ms),
            ("dgt.answer_ms", &dgt.answer_ms),
        ];
        self.refuse_keys(path, &keys, message, "leave it out, or set kind = \"dgt\"");
    }

    /// Refuses a further source if it takes more streams than Lichess allows. `streams` were known
    /// before.
    fn streams_of_lichess(
        &mut self,
        path: &str,
        source: &Key<String>,
        numbers: &Numbers<'_>,
        compared: &Numbers<'_>,
        streams: &mut usize,
    ) {
        let sources: BTreeSet<&Location> = numbers.keys().chain(compared.keys()).collect();
        let now = sources
            .iter()
            .filter(|source| source.is_stream_of_lichess());
        let before = std::mem::replace(streams, now.count());
        if *streams > before.max(LICHESS_STREAMS) {
            self.refuse::<_, ()>(
                &format!("{path}.source"),
                source,
                format!("Lichess allows {LICHESS_STREAMS} rounds at a time for each IP address"),
                "read further rounds by a daemon with another IP address",
            );
        }
    }

    /// Where the games of another program are.
    pub(super) fn location(&mut self, path: &str, key: &Key<String>) -> Option<Location> {
        const ALLOWED: &str = "allowed: a path that begins with /, or an address that begins with https:// or http://";
        let text = self.text(path, key)?;
        if text.starts_with('/') {
            return Some(Location::Files(text.into()));
        }
        let message = if text.contains("://") {
            // The query is often a secret.
            let shown = text.split('?').next().unwrap_or(text);
            match text.parse() {
                Ok(location) => return Some(location),
                Err(error) => format!("\"{}\" is not {error}", without_user(shown)),
            }
        } else {
            format!("\"{text}\" depends on where the daemon was started")
        };
        self.refuse(path, key, message, ALLOWED)
    }

    /// How often the games are looked at, in milliseconds.
    pub(super) fn poll_ms(
        &mut self,
        path: &str,
        key: &Key<Ms<100>>,
        location: Option<&Location>,
    ) -> Option<u64> {
        let set = match key.value {
            Some(_) => Some(self.number(path, key)?),
            None => None,
        };
        match (location?, set) {
            (Location::LichessRound(_), Some(_)) => {
                let message = "a broadcast on Lichess sends its games by itself".to_owned();
                self.refuse(path, key, message, "leave it out")
            }
            (Location::Text(_), Some(ms)) if ms < MOST_OFTEN_MS => {
                let message = format!("every {ms} ms is too often for an address");
                self.refuse(path, key, message, "allowed: 1000 to 600000 milliseconds")
            }
            (Location::Text(_), set) => Some(set.unwrap_or(ADDRESS_MS)),
            (_, set) => Some(set.unwrap_or(FILES_MS)),
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
        (number, compared): (Option<u32>, Option<u32>),
    ) -> Option<valid::Board> {
        let at = |key: &str| format!("{path}.{key}");
        let id = self.name(&at("id"), &board.id);
        let source = self.board_source(path, board, number);
        let orientation = self.choice(&at("orientation"), &board.orientation);
        let clock_white = self.choice(&at("clock_white"), &board.clock_white);
        let new_game = self.choice(&at("new_game"), &board.new_game);
        let compare = self.compare(path, &board.compare, compared);
        let hand = self.hand(path, &board.hand);
        let dgt = self.dgt(path, &board.dgt);
        Some(valid::Board {
            id: id?,
            source: source?,
            orientation: orientation?,
            clock_white: clock_white?,
            new_game: new_game?,
            compare,
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

/// Where a source is, also if it cannot be used. A path with a slash at its end is the same path.
pub(super) fn location_of(source: &Key<String>) -> Option<Location> {
    let text = source.value.as_deref()?;
    let location = text.parse();
    Some(location.unwrap_or_else(|_| Location::Files(PathBuf::from(text))))
}
