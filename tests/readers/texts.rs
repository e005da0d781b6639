//! Texts written by people and other programs.

use remisd::{
    pgn::Games,
    publish::{mqtt::BrokerUrl, topic},
    simulate::score,
};
use remisd_dead::{Analysis, Proof, Proofs, Winnability, verify};
use remisd_laws::{self as laws, History};
use remisd_vocabulary::{
    name::{BoardId, NodeId, SiteId},
    notation::{self, parse_position},
};
use shakmaty::{Chess, Position as _};

use crate::{line, text};

/// The largest closure to verify, in positions, and the largest album, in sketches. Larger ones
/// terminate, too, but take long.
const POSITIONS: u32 = 2_000;

/// Games; all playable moves are played.
pub fn pgn(data: &[u8]) -> usize {
    let mut understood = 0;
    for game in Games::new(data) {
        let game = game.expect("memory can always be read");
        let Ok(start) = game.start() else { continue };
        let mut history = History::new(start);
        for written in &game.moves {
            let Ok(made) = written.to_move(history.position()) else {
                break;
            };
            if history.play(made).is_err() {
                break;
            }
        }
        let _ = history.draw_state(laws::newest());
        understood += usize::try_from(history.ply()).expect("it is small");
    }
    score::read(data).ok();
    let round = remisd::pairings::read(data, &["b1", "b2", "board-3"]);
    understood + round.seats.len()
}

/// A position; what was parsed must be printed in the same form.
pub fn fen(data: &[u8]) -> usize {
    match parse_position(&text(data)) {
        Ok(position) => {
            let written = notation::fen(&position);
            let again = parse_position(&written).expect("what is written can be read");
            assert_eq!(notation::fen(&again), written);
            for edition in laws::EDITIONS {
                let _ = History::new(position.clone()).draw_state(edition);
            }
            1
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            0
        }
    }
}

/// Moves in UCI or SAN, one per line, from the position of the first line.
pub fn moves(data: &[u8]) -> usize {
    let mut understood = 0;
    let (first, mut rest) = line(data);
    let mut position = parse_position(&text(first)).unwrap_or_else(|_| Chess::default());
    while !rest.is_empty() {
        let (written, after) = line(rest);
        rest = after;
        let written = text(written);
        let _ = notation::origins(&written, &position);
        let strict = notation::parse_move(&written, &position).ok();
        let read = notation::read_move(&written, &position).ok();
        // P is a pawn in strict notation, but may be a knight elsewhere.
        let same = strict == read || written.starts_with('P');
        assert!(strict.is_none() || same, "{written}");
        if let Some(made) = read {
            assert!(position.is_legal(made), "{written}");
            position.play_unchecked(made);
            understood += 1;
        }
    }
    understood
}

/// Proofs that a side can never be mated, for the position of the first line. A proof may be wrong,
/// but verifying it must terminate.
pub fn proof(data: &[u8]) -> usize {
    let (first, json) = line(data);
    let (Ok(position), Ok(proofs)) = (
        parse_position(&text(first)),
        serde_json::from_slice::<Proofs>(json),
    ) else {
        return 0;
    };
    let short = |proof: &Option<Proof>| match proof {
        Some(Proof::Closure { positions, .. }) => *positions <= POSITIONS,
        Some(Proof::Sketches(album)) => album.sketches <= POSITIONS,
        _ => true,
    };
    if !(short(&proofs.white) && short(&proofs.black)) {
        return 0;
    }
    let analysis = Analysis {
        white: proofs.white.map(Winnability::Unwinnable),
        black: proofs.black.map(Winnability::Unwinnable),
    };
    usize::from(verify(&position, &analysis).is_ok())
}

/// The address of a broker.
pub fn url(data: &[u8]) -> usize {
    match text(data).parse::<BrokerUrl>() {
        Ok(url) => {
            let written = url.to_string();
            assert_eq!(written.parse::<BrokerUrl>().as_ref(), Ok(&url), "{written}");
            1
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            0
        }
    }
}

/// Names, and topics built from them.
pub fn names(data: &[u8]) -> usize {
    let name = text(data);
    let (site, board, node) = (
        name.parse::<SiteId>(),
        name.parse::<BoardId>(),
        name.parse::<NodeId>(),
    );
    if let Ok(site) = site {
        assert!(!name.contains(['/', '+', '#', '.']) && board.is_ok() && node.is_ok());
        assert!(topic::is_reply(
            &site,
            "",
            &format!("chess/v1/{name}/reply/x")
        ));
    }
    if let Some((role, board, verb)) = topic::parse_command(&name) {
        assert!(![role, board, verb].iter().any(|word| word.contains('/')));
    }
    usize::from(board.is_ok())
}
