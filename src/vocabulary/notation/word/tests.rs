use shakmaty::{CastlingMode, Chess};

use super::*;
use crate::notation::{parse_move, parse_position};

/// A position with moves of every kind.
const OPEN: &str = "r3k2r/1P3ppp/8/2npP3/4n3/2N2N2/PPP2PPP/R3K2R w KQkq d6 0 1";

fn uci(word: &str, fen: &str) -> Result<String, MoveError> {
    let position = parse_position(fen).unwrap();
    let m = word.parse::<MoveWord>()?.to_move(&position)?;
    Ok(m.to_uci(CastlingMode::Standard).to_string())
}

/// Checks that each word is read as the given move.
fn are_read(table: &[(&str, &[&str])]) {
    for (meant, words) in table {
        for word in *words {
            assert_eq!(uci(word, OPEN).as_deref(), Ok(*meant), "{word}");
        }
    }
}

#[test]
fn castling_and_pawn_moves_are_what_people_mean() {
    are_read(&[
        (
            "e1g1",
            &[
                "O-O", "0-0", "o-o", "OO", "00", "oo", "O–O", "0—0", "О-О", "O-O+", "0-0#",
                "0-0!?", "e1g1", "e1-g1", "Ke1-g1", "Ke1g1", "E1G1", "e1h1", "12.O-O", "12...0-0",
                "♔e1g1",
            ],
        ),
        (
            "e1c1",
            &[
                "O-O-O",
                "0-0-0",
                "o-o-o",
                "OOO",
                "000",
                "O–O–O",
                "0-0-0+",
                "O-O-O$1",
            ],
        ),
        (
            "e5d6",
            &[
                "exd6",
                "ed6",
                "e:d6",
                "e5xd6",
                "e5:d6",
                "exd6e.p.",
                "exd6ep",
                "exd6ep+",
                "exd6e.p.!",
                "exd6(ep)",
                "e5d6",
                "e5-d6",
                "E5D6",
                "xd6",
                "exd",
                "e:d",
                "ed6ep",
                "Pexd6",
                "♙xd6",
            ],
        ),
        (
            "b7b8q",
            &[
                "b8=Q", "b8Q", "b8(Q)", "b8/Q", "b8=q", "b8q", "b8D", "b8=D", "b8=(Q)", "b8=Q+",
                "b8Q#", "b7b8q", "b7-b8=Q", "b7-b8Q", "b7b8Q", "B7B8Q", "b7b8=Q", "b8♕", "b8=♛+",
                "b8=Q+-",
            ],
        ),
        ("b7b8n", &["b8N", "b8=N+", "b8S", "b8/N", "b7b8n", "b8N!"]),
        (
            "b7a8r",
            &[
                "bxa8=R", "bxa8R", "ba8R", "b:a8(R)", "b7xa8=R", "bxa8T", "xa8=R",
            ],
        ),
    ]);
}

#[test]
fn moves_of_pieces_are_what_people_mean() {
    are_read(&[
        (
            "c3d5",
            &[
                "Nxd5", "Nd5", "N:d5", "Ncxd5", "Nc3xd5", "Nc3:d5", "Nc3-d5", "Nc3d5", "Sxd5",
                "♘xd5", "♞×d5", "nxd5", "Nd5:",
            ],
        ),
        (
            "c3e4",
            &[
                "Nxe4",
                "Nxe4!?",
                "Nxe4$1$14",
                "Nxe4+=",
                "Nxe4+/-",
                "Nxe4=",
                "Nxe4±",
                "Nxe4∞",
                "Nxe4N",
                "Nxe4-+",
                "Nxe4(=)",
            ],
        ),
        (
            "g2g4",
            &[
                "g4", "g2-g4", "g2g4", "G4", "G2-G4", "Pg4", "g4++", "g4#", "g4!!", "3.g4", "3.g4",
                "...g4", "…g4",
            ],
        ),
        (
            "h1g1",
            &["Rg1", "Rhg1", "Rh1-g1", "Tg1", "♖g1", "rg1", "Rg1†"],
        ),
        (
            "f3g5",
            &["Ng5", "N3g5", "Nfg5", "Sg5", "ng5", "Ng5ch", "Ng5dis+"],
        ),
        ("b2b4", &["b4", "B4", "B2B4", "b2b4", "b2–b4"]),
        ("e1d1", &["Kd1", "kd1", "♚d1", "Ke1-d1"]),
        ("a2a4", &["a4", "a4N", "a4□"]),
    ]);
}

#[test]
fn what_may_be_several_moves_is_ambiguous_and_what_is_none_is_illegal() {
    use MoveError::{Ambiguous, Illegal, NoMove};
    let rooks = "5rk1/4R2R/5r2/8/8/8/5PPP/6K1 w - - 0 1";
    let pawns = "4k3/8/8/3p4/2P1P3/8/8/1N2K3 w - - 0 1";
    let knight_or_pawn = "4k3/8/8/8/8/8/5P2/4K1N1 w - - 0 1";
    let table = [
        (rooks, "Rg7+", Ambiguous),
        (pawns, "xd5", Ambiguous),
        (OPEN, "b8", Ambiguous),
        (OPEN, "b7b8", Ambiguous),
        (OPEN, "bxa8", Ambiguous),
        (knight_or_pawn, "Pf3", Ambiguous),
        (OPEN, "Nxg5", Illegal),
        (OPEN, "d6", Illegal),
        (OPEN, "fxg3", Illegal),
        (OPEN, "Bb5", Illegal),
        (OPEN, "--", Illegal),
        (OPEN, "Z0", Illegal),
        (OPEN, "e5d5", Illegal),
        (OPEN, "hello", NoMove),
        (OPEN, "", NoMove),
        (OPEN, "ed", NoMove),
        (OPEN, "N", NoMove),
        (OPEN, "Cf3", NoMove),
        (OPEN, "e4e", NoMove),
        (OPEN, "Nf3Nc6", NoMove),
        (OPEN, "O-O-O-O", NoMove),
        (OPEN, "Nf9", NoMove),
        (OPEN, "e4,e5", NoMove),
        (OPEN, "Q@f7", NoMove),
        (OPEN, "0", NoMove),
        (OPEN, "e.p.", NoMove),
    ];
    for (fen, word, error) in table {
        assert_eq!(uci(word, fen), Err(error), "{word}");
    }
    assert_eq!(uci("Pe3", knight_or_pawn), Err(Illegal));
    assert_eq!(uci("Pf4", knight_or_pawn).as_deref(), Ok("f2f4"));
    assert_eq!(uci("Ph3", knight_or_pawn).as_deref(), Ok("g1h3"), "Dutch");
    assert_eq!(uci(&"e4".repeat(40), OPEN), Err(NoMove));
}

#[test]
fn every_legal_move_in_strict_form_is_read_as_itself() {
    let positions = [
        OPEN,
        "8/P6k/8/8/8/8/p6K/8 b - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    for fen in positions {
        let position = parse_position(fen).unwrap();
        for m in position.legal_moves() {
            let san = shakmaty::san::SanPlus::from_move(position.clone(), m).to_string();
            for text in [m.to_uci(CastlingMode::Standard).to_string(), san] {
                let word: MoveWord = text.parse().unwrap();
                assert_eq!(word.to_move(&position), Ok(m), "{text}");
                let strict = word.to_string();
                assert_eq!(parse_move(&strict, &position), Ok(m), "{text}: {strict}");
            }
        }
    }
}

#[test]
fn a_word_is_written_in_the_strict_form_that_a_journal_holds() {
    let table = [
        ("0-0", "O-O"),
        ("e8Q", "e8=Q"),
        ("e2-e4", "e2e4"),
        ("Ng1-f3!", "Ng1f3"),
        ("ed5", "exd5"),
        ("exd6e.p.", "exd6"),
        ("Sf3", "Nf3"),
        ("♘f3", "Nf3"),
        ("Qxe5++", "Qxe5"),
    ];
    for (written, strict) in table {
        let word: MoveWord = written.parse().unwrap();
        assert_eq!(word.to_string(), strict, "{written}");
    }
}

#[test]
fn signs_that_stand_alone_are_annotations_and_words_are_not() {
    for word in [
        "!", "?!", "$14", "+/-", "+=", "=", "±", "∞", "N", "D", "TN", "e.p.", "ep", "e.p.+", "(=)",
        "-+", "#", "mate", "□", "+–",
    ] {
        assert!(is_annotation(word), "{word}");
    }
    for word in ["", "--", "e4", "Nf3", "O-O", "hello", "$", "1-0", "n"] {
        assert!(!is_annotation(word), "{word}");
    }
}

#[test]
fn a_promotion_may_stand_apart() {
    let pawn: MoveWord = "b8".parse().unwrap();
    for word in ["(Q)", "=Q", "Q", "=D"] {
        let promoted = pawn.promoted_to(word).unwrap();
        assert_eq!(promoted.to_string(), "b8=Q", "{word}");
    }
    assert_eq!(pawn.promoted_to("(c4)"), None);
    let other: MoveWord = "b7".parse().unwrap();
    assert_eq!(other.promoted_to("(Q)"), None);
    assert!(other.to_move(&Chess::default()).is_err());
}
