//! Explanations of dead positions.

use super::*;

/// The full explanation of why a position is dead.
fn grounds(fen: &str, language: Language) -> Vec<String> {
    let position = remisd_vocabulary::notation::parse_position(fen).unwrap();
    let proofs = dead::analyse(&position, true).proofs().unwrap();
    let grounds = Grounds::of(&position, &proofs).unwrap();
    for language in Language::ALL {
        let words = Words::of(language);
        let lines = words.grounds(&grounds);
        for line in lines.iter().chain([&words.grounds_in_short(&grounds)]) {
            assert!(line.ends_with('.') && !line.contains("none"), "{line}");
            assert!(!line.contains(['{', '}']), "{line}");
        }
    }
    Words::of(language).grounds(&grounds)
}

#[test]
fn a_dead_position_is_explained_by_its_material() {
    assert_eq!(
        grounds("8/8/4k3/8/8/3K1B2/8/8 w - - 0 1", Language::En),
        [
            "White has only king d3, bishop f3, and the board has no pawns, no knights and no \
             bishops on squares of the other colour: no mate is possible.",
            "Black has only the king.",
        ]
    );
}

#[test]
fn a_dead_position_is_explained_by_where_its_bishops_roam() {
    let fen = "8/2b5/1b5p/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1";
    let lines = grounds(fen, Language::En);
    assert!(
        lines[0].starts_with("Black, bishop g1: can reach only a1, c1,"),
        "{lines:?}"
    );
    assert!(lines[4].ends_with("no mate by White."), "{lines:?}");
    assert!(lines[5].ends_with("no mate by Black."), "{lines:?}");
}

#[test]
fn a_dead_position_is_explained_by_its_blocked_pawns() {
    let lines = grounds("8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1", Language::De);
    assert_eq!(
        lines[0],
        "Die Bauern a4, c4, e4, g4, a5, c5, e5, g5 können weder ziehen noch geschlagen werden."
    );
    assert!(
        lines[1].starts_with("Weiß, König b2: kommt höchstens nach a1, b1,"),
        "{lines:?}"
    );
    assert!(
        lines[2].starts_with("Schwarz, König b6: kommt höchstens nach"),
        "{lines:?}"
    );
    let can_never =
        "kann auf keinem Feld, auf das der gegnerische König kommen kann, Schach bieten.";
    assert_eq!(
        lines[3..],
        [format!("Weiß {can_never}"), format!("Schwarz {can_never}")]
    );
}

#[test]
fn a_dead_position_is_explained_by_what_was_gone_through() {
    // White's only move is to capture the pawn.
    let lines = grounds("8/8/8/8/8/5k2/7p/7K w - - 0 1", Language::En);
    assert!(lines[1].starts_with("The only position that"), "{lines:?}");
    let lines = grounds("1K6/1p6/kPp5/2P5/p1P5/P7/8/8 w - - 0 1", Language::Nl);
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Nagegaan zijn alle ")),
        "{lines:?}"
    );
}

/// The sketches of one side prove nothing about the other.
#[test]
fn sketches_name_their_side() {
    let ground = |why: Why| Ground {
        why,
        blocked: Bitboard::EMPTY,
        confined: Vec::new(),
    };
    let sketches = |sketches| ground(Why::Sketches { sketches });
    let closure = || {
        ground(Why::Closure {
            positions: 7,
            leaves: 0,
        })
    };
    let words = Words::of(Language::En);
    let short = |white, black| words.grounds_in_short(&Grounds { white, black });
    assert_eq!(
        short(sketches(30), closure()),
        "All 30 arrangements of kings, pawns and some pieces that can still arise were \
         examined: no mate by White, wherever the other pieces stand."
    );
    let one = short(closure(), sketches(1));
    assert!(
        one.starts_with("The only arrangement") && one.contains("no mate by Black,"),
        "{one}"
    );
    let both = short(sketches(30), sketches(40));
    assert!(
        both.contains("All 40") && both.contains("no mate, wherever"),
        "{both}"
    );
}
