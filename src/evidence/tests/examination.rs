//! The evidence for a claim.

use super::*;
use remisd_vocabulary::notation::parse_position;

#[test]
fn karpov_overlooked_that_miles_could_still_castle() {
    let record = karpov();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Incorrect);
    assert_eq!(evidence.article, Some("9.2.1"));
    assert_eq!(plies(&evidence), [47, 51]);
    assert!(evidence.occurrences[1].announced);
    let [unlike] = evidence.unlike.as_slice() else {
        panic!("{:?}", evidence.unlike);
    };
    assert_eq!(unlike.place.ply, 43);
    let lost = Difference::CastlingThen(Color::Black, vec![Square::A8]);
    assert_eq!(unlike.differences, [lost]);
    let penalty = evidence.penalty.unwrap();
    assert_eq!(penalty.white, TimeChange::None);
    assert_eq!(penalty.black, TimeChange::AddMs(120_000));
    let html = sheet_of(&record, Language::En);
    for fact in [
        "The position occurred 2 times (3 needed)",
        "According to the record, the claim is incorrect.",
        "The game continues (9.5.3).",
        "No ruling yet",
        "Black +2:00",
        "26.Nb5 must be made",
        "Black still had the right to castle with the rook on a8",
        "FEN: r3kb1r/5ppp/4p3/1N6/4P3/8/Pn1BK1PP/R6R b kq - 1 22",
        "FEN: r3kb1r/5ppp/4p3/1N6/4P3/8/Pn1BK1PP/R6R b k - 9 26",
        "Nb5]<sup>2</sup>",
    ] {
        assert!(html.contains(fact), "{fact}");
    }
}

#[test]
fn miles_could_have_claimed_himself() {
    let mut record = case("R-KM86", &FIDE_2023, 51);
    record.claim(Claimed::Threefold, Some("Ra4")).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Correct);
    assert_eq!(plies(&evidence), [44, 48, 52]);
    assert!(sheet_of(&record, Language::De).contains("Die Partie ist remis (Art. 9.5.2)."));
}

#[test]
fn a_pawn_that_could_be_captured_en_passant_makes_another_position() {
    let mut record = Record::new(
        Chess::default(),
        Regulations::new(&FIDE_2023, Rate::Standard),
    );
    moves(
        &mut record,
        "e2e4 a7a6 e4e5 d7d5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    );
    record.claim(Claimed::Threefold, None).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Incorrect);
    assert_eq!(plies(&evidence), [8, 12]);
    assert_eq!(evidence.unlike.len(), 1);
    assert_eq!(evidence.unlike[0].place.ply, 4);
    assert_eq!(
        evidence.unlike[0].differences,
        [Difference::EnPassantThen(Square::D6)]
    );
    let html = sheet_of(&record, Language::Nl);
    assert!(html.contains("een pion kon op d6 en passant worden geslagen"));
    assert!(html.contains("En passant: d6"));
}

#[test]
fn the_side_to_move_makes_another_position() {
    let start = parse_position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
    let mut record = Record::new(start, Regulations::new(&FIDE_2023, Rate::Blitz));
    // White loses a tempo on the way back.
    moves(
        &mut record,
        "a1a2 e8e7 a2a3 e7e8 a3a1 e8e7 a1a2 e7d8 a2a1 d8e8",
    );
    moves(&mut record, "a1a2 e8e7 a2a3 e7d8 a3a1 d8e8");
    record.claim(Claimed::Threefold, None).unwrap();
    let evidence = Evidence::of(&record);
    let turned = |unlike: &&Unlike| unlike.differences == [Difference::Turn(Color::Black)];
    assert_eq!(evidence.unlike.iter().filter(turned).count(), 1);
    assert_eq!(
        evidence.penalty.unwrap().black,
        TimeChange::AddMs(60_000),
        "blitz"
    );
}

#[test]
fn phantoms_are_no_difference() {
    // The double step could be captured en passant, but the capturing pawn is pinned.
    let record = case("T04", &FIDE_2023, usize::MAX);
    let evidence = Evidence::of(&record);
    let ep = |d: &Difference| {
        matches!(
            d,
            Difference::EnPassantThen(_) | Difference::EnPassantNow(_)
        )
    };
    assert!(
        evidence
            .unlike
            .iter()
            .all(|u| !u.differences.iter().any(ep))
    );
}

#[test]
fn a_right_that_could_not_be_kept_is_for_the_arbiter_before_2009() {
    let play = |edition| {
        let start = parse_position("3r4/6k1/8/8/8/8/8/4K2R b K - 0 1").unwrap();
        let mut record = Record::new(start, Regulations::new(edition, Rate::Standard));
        moves(&mut record, "d8e8 e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1 d8e8");
        record.claim(Claimed::Threefold, None).unwrap();
        record
    };
    for edition in [&FIDE_1997, &FIDE_2005] {
        let record = play(edition);
        let evidence = Evidence::of(&record);
        let decides = Verdict::ArbiterDecides(vec![Why::CastlingRight]);
        assert_eq!(evidence.verdict, decides);
        let disputed: Vec<bool> = evidence.occurrences.iter().map(|o| o.disputed).collect();
        assert_eq!(plies(&evidence), [1, 5, 9]);
        assert_eq!(disputed, [true, false, false]);
        assert_eq!(evidence.unlike.len(), 1);
        let html = sheet_of(&record, Language::En);
        assert!(html.contains("counts only without the castling right"));
        assert!(html.contains("The position occurred 2 times (3 needed)"));
    }
    assert_eq!(Evidence::of(&play(&FIDE_2014)).verdict, Verdict::Incorrect);
}

#[test]
fn fifty_moves_are_counted_from_the_last_pawn_move_or_capture() {
    let start = parse_position("4k3/8/8/8/8/4p3/8/R3K3 w - - 90 80").unwrap();
    let mut record = Record::new(start, Regulations::new(&FIDE_2014, Rate::Standard));
    moves(&mut record, "a1a3 e8e7 a3e3 e7d7 e3e2 d7d8");
    record.claim(Claimed::FiftyMove, Some("Re3")).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Incorrect);
    assert_eq!(evidence.fifty.halfmoves, 4);
    let since = evidence.fifty.since.as_ref().unwrap();
    assert_eq!((since.place.ply, since.capture), (3, true));
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("Counted from 81.Rxe3+: capture."), "{html}");
    assert!(html.contains("96 halfmoves short."));
}

#[test]
fn a_move_that_was_not_written_has_to_be_written_first() {
    let mut record = case("R-KM86", &FIDE_2023, 51);
    record.claim(Claimed::Threefold, Some("Ra4")).unwrap();
    record.claim.as_mut().unwrap().written = false;
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::NotWritten);
    assert!(evidence.correct_if_written);
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("The announced move is not written down"));
    assert!(html.contains("according to the moves of the game, the claim is correct"));
}

#[test]
fn an_illegal_announced_move_binds_to_its_piece() {
    let mut record = case("R-KM86", &FIDE_2023, 50);
    record.claim(Claimed::Threefold, Some("Nc8")).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.verdict, Verdict::Incorrect);
    assert!(evidence.occurrences.is_empty());
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("Nc8 is not legal: another legal move with that piece"));
}

#[test]
fn a_touch_before_a_correct_claim_is_for_the_arbiter() {
    let mut record = case("R-KM86", &FIDE_2023, 51);
    record.claim(Claimed::Threefold, Some("Ra4")).unwrap();
    record.claim.as_mut().unwrap().touched = Some(remisd_game::Touched {
        by: remisd_game::Side::Black,
        square: Square::A8,
        ply: 51,
        time: jiff::Timestamp::UNIX_EPOCH,
        adjusting: false,
        by_arbiter: false,
        sure: true,
        made: None,
    });
    let evidence = Evidence::of(&record);
    assert_eq!(
        evidence.verdict,
        Verdict::ArbiterDecides(vec![Why::Touched])
    );
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("no penalty, and the game continues"));
    assert!(
        !html.contains("Set the clock"),
        "that is for incorrect ones"
    );
    record.claim.as_mut().unwrap().ruling = Some(ClaimRuling {
        correct: false,
        admissible: false,
        by: "Anna".to_owned(),
        time: jiff::Timestamp::UNIX_EPOCH,
    });
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("<p class=\"large\">Claim inadmissible</p>"));
    assert!(html.contains("Anna, 1970-01-01 00:00:00 +00:00"));
    assert!(html.contains("<p class=\"large\">The position occurred 3 times (3 needed)</p>"));
    assert!(!html.contains("must be made"));
    record.claim.as_mut().unwrap().ruling = None;
    record.regulations = Regulations::new(&FIDE_1997, Rate::Standard);
    assert_eq!(
        Evidence::of(&record).verdict,
        Verdict::Correct,
        "a move loses it"
    );
}

#[test]
fn the_ruling_has_its_own_words_beside_the_record() {
    let mut record = karpov();
    record.claim.as_mut().unwrap().ruling = Some(ClaimRuling {
        correct: true,
        admissible: true,
        by: "Anna".to_owned(),
        time: jiff::Timestamp::UNIX_EPOCH,
    });
    let html = sheet_of(&record, Language::En);
    for fact in [
        "<p class=\"large\">The position occurred 2 times (3 needed)</p>",
        "According to the record, the claim is incorrect.",
        "<h2>Ruling by the arbiter</h2><p class=\"large\">Claim correct</p>",
        "The game is drawn (9.5.2).",
    ] {
        assert!(html.contains(fact), "{fact}\n{html}");
    }
    // This ruling does not carry the penalty for an incorrect claim.
    assert!(!html.contains("Set the clock") && !html.contains("must be made"));
}

#[test]
fn more_halfmoves_than_are_needed_are_no_fraction() {
    let start = parse_position("4k3/8/8/8/8/8/8/R3K3 w - - 101 80").unwrap();
    let mut record = Record::new(start, Regulations::new(&FIDE_2014, Rate::Standard));
    moves(&mut record, "a1a3");
    record.claim(Claimed::FiftyMove, None).unwrap();
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("102 halfmoves without a pawn move or capture (100 needed)"));
    assert!(
        html.contains("102 halfmoves (100 needed): 51 by White, 51 by Black."),
        "{html}"
    );
    assert!(!html.contains("102 of 100"));
}

#[test]
fn nothing_can_be_claimed_in_a_game_that_is_over() {
    let mut record = Record::new(
        Chess::default(),
        Regulations::new(&FIDE_2023, Rate::Standard),
    );
    moves(&mut record, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    let html = sheet_of(&record, Language::En);
    assert!(html.contains("Claims that would succeed now: "));
    record.result = Some(remisd_game::GameResult {
        score: laws::Score::Draw,
        reason: remisd_game::ResultReason::ThreefoldClaim,
        article: None,
        ply: 8,
        announced: None,
        confirmed: true,
    });
    assert_eq!(Evidence::of(&record).verdict, Verdict::NoClaim(Vec::new()));
    let html = sheet_of(&record, Language::En);
    assert!(!html.contains("Claims that would succeed now"));
    assert!(
        html.contains("Result: 1/2-1/2, by a correct claim of threefold repetition."),
        "{html}"
    );
}

#[test]
fn a_game_that_was_over_before_is_marked() {
    let mut record = Record::new(
        Chess::default(),
        Regulations::new(&FIDE_2023, Rate::Standard),
    );
    for _ in 0..5 {
        moves(&mut record, "g1f3 g8f6 f3g1 f6g8");
    }
    record.claim(Claimed::Threefold, None).unwrap();
    let evidence = Evidence::of(&record);
    assert_eq!(evidence.over.unwrap().0, 16);
    let html = sheet_of(&record, Language::En);
    assert!(html.contains(
        "The game was over before the claim: after 8…Ng8, by fivefold repetition (9.6.1)."
    ));
}
