//! Positions that sketches decide, and some that they must not decide.

use remisd_vocabulary::notation::parse_position;
use std::{
    collections::{HashMap, HashSet},
    sync::atomic::AtomicBool,
};

use shakmaty::{Chess, Move, Position as _};

use super::*;
use crate::{Analysis, Proof, Refuted, Winnability, analyse, verify};

/// White's king has two squares, and it is stalemate if Black captures on g2.
const BOX: &str = "8/2b5/1b5p/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1";

/// The independent verifier's verdict on an album for one side.
fn checked(position: &Chess, winner: Color, album: &Album) -> Result<(), (Color, Refuted)> {
    let proof = Some(Winnability::Unwinnable(Proof::Sketches(album.clone())));
    let (white, black) = winner.fold_wb((proof.clone(), None), (None, proof));
    verify(position, &Analysis { white, black })
}

fn found(fen: &str, winner: Color) -> Option<Album> {
    let position = parse_position(fen).unwrap();
    let never = AtomicBool::new(false);
    let album = album(&State::from(&position), winner, 20_000, &never);
    if let Some(album) = &album {
        assert_eq!(checked(&position, winner, album), Ok(()), "{fen}");
    }
    album
}

#[test]
fn a_capture_that_is_stalemate_frees_no_man() {
    for winner in Color::ALL {
        let album = found(BOX, winner).unwrap();
        assert!(album.sketches < 1_000, "{}", album.sketches);
        assert!(album.loose.iter().all(|man| man.role == Role::Bishop));
    }
}

/// The same box with a way out, or with a bishop of the other colour that can interpose, be
/// captured or give check.
#[test]
fn a_box_with_a_hole_is_none() {
    for (fen, winner) in [
        // The square h3 can be attacked.
        (
            "4b3/2b5/1b5p/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1",
            Color::Black,
        ),
        // A pawn can capture the bishop and advance.
        (
            "4b3/2b5/1b5p/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1",
            Color::White,
        ),
        // White's pawn on h5 is free.
        ("8/2b5/1b6/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1", Color::White),
    ] {
        assert_eq!(found(fen, winner), None, "{fen} {winner}");
        let analysis = analyse(&parse_position(fen).unwrap(), true);
        let answer = winner.fold_wb(analysis.white, analysis.black);
        assert!(
            matches!(answer, Some(Winnability::Winnable { .. })),
            "{fen} {winner}"
        );
    }
}

/// No album exists where a closure or a helpmate shows that a side can mate.
#[test]
fn no_album_where_there_is_a_helpmate() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/dead/");
    // Above FIRST_CHOICE, promotions and every choice of loose men are examined.
    let budget = 2 * FIRST_CHOICE;
    let (mut albums, mut with_officers, mut later) = (0, 0, 0);
    for (set, step) in [
        ("closure", 9),
        ("constructed", 7),
        ("chasolver_wrong", 1),
        ("soundness_counterexamples", 1),
        ("hard", 2),
    ] {
        let text = std::fs::read_to_string(format!("{folder}{set}.tsv")).unwrap();
        for line in text.lines().step_by(step) {
            let (fen, known) = line.split_once('\t').unwrap();
            let Ok(position) = parse_position(fen) else {
                continue;
            };
            let state = State::from(&position);
            for (side, mark) in [Color::White, Color::Black].into_iter().zip(known.chars()) {
                let never = AtomicBool::new(false);
                let is_over = state.is_over();
                let found = (!is_over)
                    .then(|| album(&state, side, budget, &never))
                    .flatten();
                assert!(found.is_none() || mark != '+', "{fen} {side}");
                let Some(Album { loose, .. }) = found else {
                    continue;
                };
                albums += 1;
                with_officers += usize::from(loose.iter().any(|man| man.role == Role::Pawn));
                let homes = loose.iter().filter(|man| man.role != Role::Pawn);
                later += usize::from(homes.count() < free(&state).count());
            }
        }
    }
    let counts =
        format!("{albums} albums, {with_officers} with officers, {later} of later choices");
    assert!(albums > 300 && with_officers > 10 && later > 10, "{counts}");
}

/// An album that is closed but was not searched for mates.
fn blind_album(state: &State, winner: Color) -> Option<Album> {
    let mut sketcher = Sketcher::new(state, winner, free(state), 0);
    let seen = explored(&mut sketcher, 5_000)?;
    let loose = sketcher.loose.into_iter().filter(|man| man.squares.any());
    Some(Album {
        loose: loose.collect(),
        sketches: u32::try_from(seen.len()).unwrap(),
    })
}

#[test]
fn an_album_that_has_a_mate_in_it_is_refuted_at_the_mate() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/dead/");
    let mut sides = 0;
    for (set, step) in [("closure", 9), ("constructed", 7), ("hard", 2)] {
        let text = std::fs::read_to_string(format!("{folder}{set}.tsv")).unwrap();
        for line in text.lines().step_by(step) {
            let (fen, known) = line.split_once('\t').unwrap();
            let Ok(position) = parse_position(fen) else {
                continue;
            };
            let state = State::from(&position);
            for (side, mark) in [Color::White, Color::Black].into_iter().zip(known.chars()) {
                if mark != '+' || state.is_over() || position.castles().any() {
                    continue;
                }
                let Some(album) = blind_album(&state, side) else {
                    continue;
                };
                sides += 1;
                let mate = Err((side, Refuted::MateReached));
                assert_eq!(checked(&position, side, &album), mate, "{fen}");
            }
        }
    }
    assert!(sides >= 20, "{sides}");
}

#[test]
fn an_album_with_something_missing_is_refuted() {
    let position = parse_position(BOX).unwrap();
    let whole = found(BOX, Color::White).unwrap();
    let checked = |change: fn(&mut Album)| {
        let mut album = whole.clone();
        change(&mut album);
        let analysis = Analysis {
            white: Some(Winnability::Unwinnable(Proof::Sketches(album))),
            black: None,
        };
        verify(&position, &analysis).map_err(|(_, refuted)| refuted)
    };
    assert_eq!(checked(|_| {}), Ok(()));
    let more = checked(|album| album.sketches += 1);
    let sketches = whole.sketches;
    assert_eq!(more, Err(Refuted::OtherSketches { sketches }));
    // The check ends when there are more than claimed.
    let fewer = checked(|album| album.sketches = 20);
    assert_eq!(fewer, Err(Refuted::OtherSketches { sketches: 21 }));
    let smaller = checked(|album| album.loose[0].squares = album.loose[0].home);
    assert!(matches!(smaller, Err(Refuted::NotClosed(_))), "{smaller:?}");
    let elsewhere = checked(|album| album.loose[0].home = Bitboard::from(Square::A8));
    assert_eq!(elsewhere, Err(Refuted::OtherMen));
    let several = checked(|album| album.loose[0].count = 0);
    assert_eq!(several, Err(Refuted::OtherMen));
}

/// A forged album without loose men would be the closure of the whole game.
#[test]
fn the_check_of_an_album_ends_after_what_it_claims() {
    let fen = "r2qkb1r/pppppppp/8/8/8/8/PPPPPPPP/R2QKB1R w - - 0 1";
    let position = parse_position(fen).unwrap();
    let album = Album {
        loose: Vec::new(),
        sketches: 10,
    };
    let analysis = Analysis {
        white: Some(Winnability::Unwinnable(Proof::Sketches(album))),
        black: None,
    };
    let refuted = Refuted::OtherSketches { sketches: 11 };
    assert_eq!(verify(&position, &analysis), Err((Color::White, refuted)));
}

/// Black's only move captures on g1 and promotes; if White recaptures, it is stalemate.
const OFFICERS: &str = "4k3/1p1pPp2/1P1P1P2/8/8/6p1/6Pp/6NK b - - 0 1";

#[test]
fn officers_are_as_many_as_pawns_and_arrive_where_pawns_do() {
    let position = parse_position(OFFICERS).unwrap();
    let whole = found(OFFICERS, Color::White).unwrap();
    let checked = |change: &dyn Fn(&mut Loose)| {
        let mut album = whole.clone();
        let officers = |man: &&mut Loose| man.role == Role::Pawn;
        change(album.loose.iter_mut().find(officers).unwrap());
        let analysis = Analysis {
            white: Some(Winnability::Unwinnable(Proof::Sketches(album))),
            black: None,
        };
        verify(&position, &analysis).map_err(|(_, refuted)| refuted)
    };
    assert_eq!(checked(&|_| {}), Ok(()));
    assert_eq!(checked(&|man| man.count -= 1), Err(Refuted::OtherMen));
    let nowhere = Err(Refuted::NotClosed("a pawn may promote on g1".to_owned()));
    assert_eq!(checked(&|man| man.squares.discard(Square::G1)), nowhere);
    // All promoted men of a colour form one entry.
    let mut twice = whole.clone();
    let officers = whole.loose.iter().filter(|man| man.role == Role::Pawn);
    twice.loose.extend(officers);
    let analysis = Analysis {
        white: Some(Winnability::Unwinnable(Proof::Sketches(twice))),
        black: None,
    };
    let refuted = Err((Color::White, Refuted::OtherMen));
    assert_eq!(verify(&position, &analysis), refuted);
}

#[test]
fn no_budget_is_more_than_a_table_holds() {
    let root = State::from(&parse_position(BOX).unwrap());
    let sketcher = Sketcher::new(&root, Color::White, free(&root), u32::MAX);
    assert_eq!(sketcher.budget, MOST);
}

/// Neither solver nor verifier has sketches for a position with castling or en passant rights.
/// Without the rights they decide this one.
#[test]
fn rights_are_not_for_sketches() {
    let without = "k1b5/1pPp4/1P1P3p/1P6/5P1P/5PNR/3NPB1Q/4K2R w - - 0 1";
    let with = &without.replace("w -", "w K");
    for winner in Color::ALL {
        let album = found(without, winner).unwrap();
        assert_eq!(found(with, winner), None);
        let proof = || Some(Winnability::Unwinnable(Proof::Sketches(album.clone())));
        let analysis = Analysis {
            white: (winner == Color::White).then(proof).flatten(),
            black: (winner == Color::Black).then(proof).flatten(),
        };
        let refuted = Err((winner, Refuted::HasRights));
        assert_eq!(verify(&parse_position(with).unwrap(), &analysis), refuted);
    }
}

/// Everything reachable from a position, mates or not; `None` if there is too much.
fn explored(sketcher: &mut Sketcher, most: usize) -> Option<HashSet<State>> {
    loop {
        sketcher.grew = false;
        let mut seen = HashSet::from([sketcher.root]);
        let mut waiting = vec![sketcher.root];
        while let Some(sketch) = waiting.pop() {
            let mut edges = Vec::new();
            sketcher.moves(&sketch, &mut edges)?;
            for Edge { next, .. } in edges {
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        if !sketcher.grew {
            return Some(seen);
        }
    }
}

/// A game with its loose men: maps each square to the loose man on it.
#[derive(Clone)]
struct Game {
    position: Chess,
    loose: HashMap<Square, usize>,
}

impl Game {
    fn sketch(&self) -> State {
        State::from(&self.position).without(self.loose.keys().copied().collect())
    }

    fn play(&mut self, m: Move, sketcher: &Sketcher) {
        let by = self.position.turn();
        let (from, to) = (m.from().unwrap(), m.to());
        self.loose.remove(&to);
        if let Some(man) = self.loose.remove(&from) {
            self.loose.insert(to, man);
        } else if m.is_promotion() {
            let is_officers = |man: &Loose| man.color == by && man.role == Role::Pawn;
            let officers = sketcher.loose.iter().position(is_officers);
            self.loose.insert(to, officers.unwrap());
        }
        self.position.play_unchecked(m);
    }

    /// The edge between sketches that represents a move, starting from the sketch before it.
    fn edge(&self, m: Move, sketcher: &Sketcher) -> Edge {
        let mut after = self.clone();
        after.play(m, sketcher);
        let from = m.from().unwrap();
        let by = if self.loose.contains_key(&from) {
            Mover::Loose
        } else {
            Mover::Tracked {
                from,
                promoted: m.is_promotion().then_some(m.to()),
            }
        };
        Edge {
            next: after.sketch(),
            by,
        }
    }
}

/// Plays random games. Each position must match a known sketch, and each mate must be accepted as a
/// possible mate.
fn follow(position: &Chess, loose: Bitboard, winner: Color, games: usize) -> (usize, usize) {
    let mut sketcher = Sketcher::new(&State::from(position), winner, loose, 0);
    let most = games * 1_000;
    let Some(seen) = explored(&mut sketcher, most) else {
        return (0, 0);
    };
    let (mut plies, mut mates) = (0, 0);
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..games {
        let homes = (0..).zip(&sketcher.loose);
        let homes = homes.filter_map(|(man, loose)| Some((loose.home.first()?, man)));
        let mut game = Game {
            position: position.clone(),
            loose: homes.collect(),
        };
        for _ in 0..60 {
            let legal = game.position.legal_moves();
            for m in &legal {
                let mut after = game.position.clone();
                after.play_unchecked(*m);
                if after.is_checkmate() && after.turn() != winner {
                    let edge = game.edge(*m, &sketcher);
                    let fen = remisd_vocabulary::notation::fen(&game.position);
                    assert!(sketcher.may_be_mate(&edge), "{m} in {fen}");
                    mates += 1;
                }
            }
            if legal.is_empty() {
                break;
            }
            let m = legal[random.usize(..legal.len())];
            let before = remisd_vocabulary::notation::fen(&game.position);
            game.play(m, &sketcher);
            plies += 1;
            assert!(seen.contains(&game.sketch()), "{m} in {before}");
            for (square, man) in &game.loose {
                let squares = sketcher.loose[*man].squares;
                assert!(squares.contains(*square), "{m} in {before}");
            }
        }
    }
    (plies, mates)
}

#[test]
fn every_game_stays_in_the_sketches_and_every_mate_may_be_one() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/dead/");
    let (mut plies, mut mates) = (0, 0);
    for (set, step) in [("closure", 25), ("constructed", 15), ("uncertified", 20)] {
        let text = std::fs::read_to_string(format!("{folder}{set}.tsv")).unwrap();
        for line in text.lines().step_by(step) {
            let (fen, _) = line.split_once('\t').unwrap();
            let Ok(position) = parse_position(fen) else {
                continue;
            };
            let root = State::from(&position);
            if root.rights().any() || root.en_passant().is_some() || is_open(&root) {
                continue;
            }
            let pieces = root.occupied() & !root.all(Role::Pawn) & !root.all(Role::King);
            let some = pieces & Bitboard::DARK_SQUARES;
            for winner in Color::ALL {
                for loose in [free(&root), pieces & root.of(winner), some] {
                    let (moves, found) = follow(&position, loose, winner, 3);
                    plies += moves;
                    mates += found;
                }
            }
        }
    }
    assert!(plies > 20_000 && mates > 30, "{plies} plies, {mates} mates");
}

/// A king may enter the line of a tracked rook if one of its loose men may be between.
#[test]
fn a_loose_man_may_come_between_king_and_rook() {
    let position = parse_position("4k3/8/8/8/8/8/r7/2B1K3 w - - 0 1").unwrap();
    let root = State::from(&position);
    let goes = |bishop: Bitboard, root: &State, to: Square| {
        let loose = root.all(Role::Bishop);
        let mut sketcher = Sketcher::new(root, Color::Black, loose, 0);
        sketcher.loose[0].squares |= bishop;
        let mut edges = Vec::new();
        sketcher.moves(&sketcher.root.clone(), &mut edges).unwrap();
        edges.iter().any(|edge| edge.next.king(Color::White) == to)
    };
    assert!(!goes(Bitboard::EMPTY, &root, Square::E2));
    assert!(goes(Bitboard::from(Square::B2), &root, Square::E2));
    // A loose man may interpose against a check while the king stays.
    let position = parse_position("4k3/8/8/8/8/8/r3K3/2B5 w - - 0 1").unwrap();
    assert!(goes(Bitboard::EMPTY, &State::from(&position), Square::E2));
    // But not against a rook next to the king, nor against a pawn.
    for fen in [
        "4k3/8/8/8/8/8/3rK3/2B5 w - - 0 1",
        "4k3/8/8/8/8/3p4/4K3/2B5 w - - 0 1",
    ] {
        let position = parse_position(fen).unwrap();
        let root = State::from(&position);
        let loose = root.all(Role::Bishop);
        let mut sketcher = Sketcher::new(&root, Color::Black, loose, 0);
        let mut edges = Vec::new();
        sketcher.moves(&sketcher.root.clone(), &mut edges).unwrap();
        let stays = |edge: &&Edge| {
            edge.next.king(Color::White) == Square::E2 && edge.next.of(Color::Black).count() == 2
        };
        assert!(!edges.iter().any(|edge| stays(&edge)), "{fen}");
    }
}
