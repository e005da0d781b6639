//! The evidence sheet from a PGN file.

use std::fs;

use sha2::{Digest as _, Sha256};

use super::{Hexed, KARPOV_MILES, folder, is_well_formed, refused, says, sheet};

#[test]
fn the_claim_of_karpov_was_not_correct() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let html = sheet(&["--pgn", &pgn, "--claim", "threefold:Nb5@50"]);
    says(
        &html,
        &[
            "<html lang=\"en\">",
            "According to the record, the claim is incorrect.",
            "The game continues (9.5.3).",
            "Set the clock: Black +2:00.",
            "The announced move 26.Nb5 must be made.",
            "Karpov, Anatoly",
            "Interpolis 10th",
            "(fide-2023), standard",
            "The position occurred 2 times (3 needed)",
            "No. 1 · 24.Nb5",
            "No. 2 · 26.Nb5",
            "announced, not made",
            "≠ · 22.Nb5",
            "Black still had the right to castle with the rook on a8",
            "Counted from 21…Nxb2: capture.",
            &format!("{:x}", Hexed(&Sha256::digest(KARPOV_MILES))),
            concat!("remisd ", env!("CARGO_PKG_VERSION")),
            "The decision is the arbiter’s.",
        ],
    );
    assert_eq!(html.matches("role=\"img\"").count(), 3);
    assert!(is_well_formed(&html));
    assert!(!html.contains("<script") && !html.contains("://"));
}

#[test]
fn every_language_has_its_words_and_piece_letters() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let table = [
        (
            "en",
            "en",
            "According to the record, the claim is correct.",
            "[Ra4]",
            "The game is drawn (9.5.2).",
        ),
        (
            "de",
            "de",
            "ist der Antrag berechtigt",
            "[Ta4]",
            "Weiß am Zug",
        ),
        (
            "de-ch",
            "de-CH",
            "ist der Antrag berechtigt",
            "[Ta4]",
            "Weiss am Zug",
        ),
        (
            "nl",
            "nl",
            "Volgens de registratie is de claim terecht.",
            "Pb5",
            "De partij is remise (art. 9.5.2).",
        ),
    ];
    for (language, tag, verdict, piece, fact) in table {
        let html = sheet(&[
            "--pgn",
            &pgn,
            "--claim",
            "threefold:Ra4",
            "--lang",
            language,
        ]);
        let tag = format!("<html lang=\"{tag}\">");
        says(&html, &[&tag, verdict, piece, fact]);
        assert!(is_well_formed(&html));
    }
}

#[test]
fn editions_and_rates_have_their_penalties() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let claim = ["--pgn", pgn.as_str(), "--claim", "threefold:Nb5@50"];
    let old = sheet(&[&claim[..], &["--laws", "fide-2009"]].concat());
    says(&old, &["Black +3:00", "(fide-2009), standard"]);
    let blitz = sheet(&[&claim[..], &["--rate", "blitz"]].concat());
    says(&blitz, &["Black +1:00", "(fide-2023), blitz"]);
    let oldest = sheet(&[&claim[..], &["--laws", "fide-1997"]].concat());
    says(
        &oldest,
        &["White according to the clock reading, Black +3:00"],
    );
}

#[test]
fn without_a_claim_the_position_is_shown() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let html = sheet(&["--pgn", &pgn]);
    says(
        &html,
        &[
            "No claim has been made",
            "Claims that would succeed now: same position for the third time (9.2.1).",
        ],
    );
}

#[test]
fn the_content_of_a_file_is_never_markup() {
    let evil = KARPOV_MILES
        .replace("Karpov, Anatoly", "<script>alert(1)</script>")
        .replace("Interpolis 10th", "a\\\"><img src=x onerror=alert(1)>&amp;");
    let (_folder, pgn) = folder(&evil);
    let html = sheet(&["--pgn", &pgn, "--claim", "threefold"]);
    says(
        &html,
        &[
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "&quot;&gt;&lt;img",
            "&amp;amp;",
        ],
    );
    assert!(!html.contains("<script") && !html.contains("<img"));
    assert!(is_well_formed(&html));
}

#[test]
fn what_is_wrong_is_named() {
    let two = format!("{KARPOV_MILES}\n[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n");
    let (folder, pgn) = folder(&two);
    let journal = folder.path().join("journal");
    fs::create_dir_all(journal.join("b1")).unwrap();
    fs::write(journal.join(".lock"), "").unwrap();
    let empty = folder.path().to_str().unwrap();
    let journal = journal.to_str().unwrap();
    let no_file = folder.path().join("no.pgn");
    let no_file = no_file.to_str().unwrap();
    let table: [(&[&str], i32, &[&str]); 16] = [
        (&[], 2, &["--journal"]),
        (&["--journal", journal], 2, &["--board"]),
        (&["--pgn", &pgn, "--board", "b1"], 2, &["--board", "--pgn"]),
        (
            &["--pgn", &pgn, "--claim", "fivefold"],
            2,
            &["fivefold", "threefold or fifty_move"],
        ),
        (
            &["--pgn", &pgn, "--claim", "threefold@900"],
            2,
            &["51 plies, not 900"],
        ),
        (
            &["--pgn", &pgn, "--claim", "threefold:hello"],
            2,
            &["hello", "neither UCI nor SAN"],
        ),
        (&["--pgn", &pgn, "--claim", "17"], 2, &["KIND[:MOVE][@PLY]"]),
        (&["--pgn", &pgn, "--game", "3"], 2, &["--game 3", "2 games"]),
        (
            &["--pgn", &pgn, "--game", "2"],
            1,
            &["game 2", "ply 3", "Ke3"],
        ),
        (
            &["--pgn", &pgn, "--laws", "fide-1950"],
            2,
            &["fide-1950", "fide-2023"],
        ),
        (&["--pgn", &pgn, "--lang", "fr"], 2, &["fr", "de-ch"]),
        (&["--pgn", no_file], 1, &["no.pgn"]),
        (&["--journal", no_file, "--board", "b1"], 1, &["no.pgn"]),
        (
            &["--journal", empty, "--board", "b1"],
            1,
            &["no journal in", empty],
        ),
        (
            &["--journal", journal, "--board", "b2"],
            2,
            &["no board b2", "b1"],
        ),
        (
            &["--journal", journal, "--board", "b1"],
            1,
            &["b1", "no entry"],
        ),
    ];
    for (arguments, code, facts) in table {
        let (found, message) = refused(arguments);
        assert_eq!(found, code, "{arguments:?}: {message}");
        for fact in facts {
            assert!(message.contains(fact), "{arguments:?}: {message}");
        }
    }
    // Unreadable text after the claim does not affect it, but is reported.
    let html = sheet(&["--pgn", &pgn, "--game", "2", "--claim", "threefold@2"]);
    says(
        &html,
        &[
            "Notes",
            "The rest of the file cannot be read: ply 3, line 16: &quot;Ke3&quot;",
        ],
    );
}
