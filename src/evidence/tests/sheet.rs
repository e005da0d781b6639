//! The sheet's texts: in every language, escaped, and with the doubts.

use super::*;
use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};

#[test]
fn what_comes_from_outside_is_escaped_everywhere() {
    let evil = "<script>alert(1)</script>\"'&<img src=x onerror=y>";
    let mut record = karpov();
    for tag in ["Event", "Site", "Round", "Date", "White", "Black", "Board"] {
        record.tags.push((tag.to_owned(), evil.to_owned()));
    }
    record.board = Some(evil.to_owned());
    let claim = record.claim.as_mut().unwrap();
    claim.announced = Some(Announced {
        text: remisd_game::AnnouncedMove::illegal(evil),
        legal: false,
    });
    claim.ruling = Some(ClaimRuling {
        correct: false,
        admissible: true,
        by: evil.to_owned(),
        time: jiff::Timestamp::UNIX_EPOCH,
    });
    claim.touched = Some(remisd_game::Touched {
        by: remisd_game::Side::White,
        square: Square::E4,
        ply: 50,
        time: jiff::Timestamp::UNIX_EPOCH,
        adjusting: false,
        by_arbiter: true,
        sure: true,
        made: None,
    });
    record.incidents.push(Incident {
        ply: 3,
        time: jiff::Timestamp::UNIX_EPOCH,
        what: Happened::Corrected {
            to_ply: 2,
            by: evil.to_owned(),
        },
    });
    record.doubts = vec![
        Doubt::Unreadable(evil.to_owned()),
        Doubt::Mismatch {
            reason: MismatchReason::Ambiguous,
            squares: vec![SeenSquare {
                square: Square::E4,
                expected: Some('<'),
                seen: None,
            }],
            since_ply: 9,
            doubted_since: None,
        },
    ];
    record.source = Some(Source::Journal {
        file: evil.to_owned(),
        first: EntrySeq::new(1),
        last: EntrySeq::new(2),
        entries: 2,
        sha256: evil.to_owned(),
    });
    for language in Language::ALL {
        let html = sheet_of(&record, language);
        assert!(!html.contains("<script"), "{language}");
        assert!(!html.contains("<img"), "{language}");
        assert!(!html.contains("\"'&<"), "{language}");
        assert!(html.matches("&lt;script&gt;").count() > 10, "{language}");
    }
}

/// The texts between the tags of a sheet, after its style.
fn texts(html: &str) -> impl Iterator<Item = &str> {
    let (_, body) = html.split_once("<main>").unwrap();
    let texts = body.split('<').skip(1);
    texts.filter_map(|piece| Some(piece.split_once('>')?.1).filter(|text| text.len() > 1))
}

#[test]
fn every_language_says_everything() {
    for language in Language::ALL {
        let mut records = vec![full()];
        let mut unwritten = full();
        unwritten.claim.as_mut().unwrap().written = false;
        records.push(unwritten);
        let mut fifty = full();
        fifty.claim.as_mut().unwrap().kind = Claimed::FiftyMove;
        records.push(fifty);
        let mut quickplay = full();
        quickplay.claim.as_mut().unwrap().kind = Claimed::Quickplay;
        records.push(quickplay);
        let mut increment = full();
        increment.claim.as_mut().unwrap().kind = Claimed::Increment;
        records.push(increment);
        let mut none = full();
        none.claim = None;
        records.push(none);
        for record in records {
            let html = sheet_of(&record, language);
            for text in texts(&html) {
                assert_eq!(crate::words::tests::fault(text), None, "{language}: {text}");
            }
            // A missing message would appear as its id.
            assert!(!html.contains("evidence-"), "{language}: {html}");
            assert!(!html.contains("{$"), "{language}");
            assert!(!html.contains("<script"), "{language}");
            assert!(
                !html.contains("http://") && !html.contains("https://"),
                "{language}"
            );
            let tag = if language == Language::DeCh {
                "de-CH"
            } else {
                language.code()
            };
            assert!(
                html.contains(&format!("<html lang=\"{tag}\">")),
                "{language}"
            );
            if language == Language::DeCh {
                assert!(!html.contains('ß'));
            }
        }
    }
}

#[test]
fn every_text_is_used() {
    let sources = [
        include_str!("../page/mod.rs"),
        include_str!("../page/head.rs"),
        include_str!("../page/head/doubts.rs"),
        include_str!("../page/diagrams.rs"),
        include_str!("../page/score.rs"),
        include_str!("../page/foot.rs"),
        include_str!("../../hall/evidence.rs"),
    ];
    let listing = crate::words::listing::listing(Language::En);
    for id in listing.keys().filter(|id| id.starts_with("evidence-")) {
        let quoted = format!("\"{id}\"");
        let is_quoted = sources.iter().any(|source| source.contains(&quoted));
        let referred = listing.values().any(|needs| needs.messages.contains(id));
        assert!(is_quoted || referred, "{id}");
    }
}

#[test]
fn doubts_are_shown_at_the_top_and_in_place() {
    let html = sheet_of(&full(), Language::En);
    for fact in [
        "Uncertain: compare with both scoresheets.",
        "positions in between are unknown: 11.Nxe4.",
        "The promoted piece is assumed, because the board could not identify a queen with certainty; ask the players: 11…",
        "differs from the record after 24…Ra4 (no legal move leads to it): e4: pawn (White) expected, nothing seen.",
        "The position was set up during the game.",
        "Missing from the journal: entries 3 to 4.",
        "Since the claim Anna has corrected the moves made after 25.Nc3.",
        "The newest entries (61 to 62) are not yet on the disk.",
        "than those of the game (fide-2014, rapid).",
        "? made during an outage of the board",
    ] {
        assert!(html.contains(fact), "{fact}");
    }
    let sure = sheet_of(&karpov(), Language::En);
    assert!(!sure.contains("Uncertain"));
}

#[test]
fn many_occurrences_and_look_alikes_stay_on_the_sheet() {
    let mut record = Record::new(
        Chess::default(),
        Regulations::new(&FIDE_2005, Rate::Standard),
    );
    for _ in 0..40 {
        moves(&mut record, "g1f3 g8f6 f3g1 f6g8");
    }
    record.claim(Claimed::Threefold, None).unwrap();
    let html = sheet_of(&record, Language::En);
    assert_eq!(html.matches("<figure").count(), 6);
    assert!(html.contains("Also after "));
}

#[test]
fn chess960_rights_are_named_by_their_rooks() {
    let start = parse_position("4k3/8/8/8/8/8/8/1R2KR2 w FB - 0 1").unwrap();
    let mut record = Record::new(start, Regulations::new(&FIDE_2023, Rate::Standard));
    moves(&mut record, "b1b2 e8e7 b2b1 e7e8 b1b2 e8e7 b2b1 e7e8");
    record.claim(Claimed::Threefold, None).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Incorrect);
    assert_eq!(
        evidence.unlike[0].differences,
        [Difference::CastlingThen(Color::White, vec![Square::B1])]
    );
    assert!(sheet_of(&record, Language::En).contains("Castling: White (b1, f1)"));
}

#[test]
fn a_dead_position_is_explained_on_the_sheet() {
    let start = parse_position("8/8/8/3k4/8/6K1/8/7r w - - 0 1").unwrap();
    let mut record = Record::new(start, Regulations::new(&FIDE_2023, Rate::Standard));
    moves(&mut record, "Kg2 Kd6 Kxh1 Kd5 Kh2");
    let position = record.places()[3].position.clone();
    let proofs = remisd_dead::analyse(&position, true).proofs().unwrap();
    let grounds = remisd_dead::Grounds::of(&position, &proofs).unwrap();
    let end = AutomaticKind::DeadPosition.under(&FIDE_2023);
    record.ended = Some((3, end));
    record.grounds = Some((3, grounds));
    for (language, expected) in [
        (Language::En, "White has only the king."),
        (Language::De, "Weiß hat nur noch den König."),
        (Language::Nl, "Voor wit alleen de koning."),
    ] {
        let html = sheet_of(&record, language);
        assert!(html.contains(expected), "{language}");
        assert!(html.contains("class=\"dead\""), "{language}");
    }
    record.ended = None;
    let html = sheet_of(&record, Language::En);
    assert!(
        !html.contains("class=\"dead\""),
        "it is not how the game has ended"
    );
}
