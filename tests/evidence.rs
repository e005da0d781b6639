//! `remisd evidence`: the sheet from a journal and from PGN, in every language, and in print.
#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
};

use remisd::{
    game::{
        Cause, Claimed, ClockState, Command as Asked, Fact, Game, Input, MismatchReason, Role,
        Rules, Ruling, SeenSquare, SettledBy, Side, Stamped, Verb,
    },
    journal::{Append, Journal, Session},
    laws::Rate,
    name::BoardId,
    time::SystemClock,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

const KARPOV_MILES: &str = "[Event \"Interpolis 10th\"]
[Site \"Tilburg NED\"]
[Date \"1986.11.04\"]
[Round \"12\"]
[White \"Karpov, Anatoly\"]
[Black \"Miles, Anthony J.\"]
[Result \"1/2-1/2\"]

1. d4 Nf6 2. c4 c5 3. d5 b5 4. cxb5 a6 5. e3 Bb7 6. Nc3 Qa5 7. Bd2 axb5 8. Bxb5 Qb6 9. Qb3 e6
10. e4 Nxe4 11. Nxe4 Bxd5 12. Qd3 Qb7 13. f3 c4 14. Bxc4 Bxc4 15. Qxc4 d5 16. Qc2 dxe4
17. Qxe4 Qxe4+ 18. fxe4 Nd7 19. Ne2 Nc5 20. Nc3 Nd3+ 21. Ke2 Nxb2 22. Nb5 Ra4 23. Nc3 Ra8
24. Nb5 Ra4 25. Nc3 Ra8 26. Nb5 1/2-1/2
";

fn evidence(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remisd"))
        .arg("evidence")
        .args(arguments)
        .env("TZ", "UTC")
        .env_remove("REMISD_LOG")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The sheet on stdout.
fn sheet(arguments: &[&str]) -> String {
    let output = evidence(&[arguments, &["-o", "-"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// What was refused: the exit code and the message.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = evidence(&[arguments, &["-o", "-"]].concat());
    assert!(output.stdout.is_empty());
    (output.status.code().unwrap(), text(&output.stderr))
}

/// A folder with a PGN file in it.
fn folder(pgn: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    fs::write(&file, pgn).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

#[track_caller]
fn says(html: &str, facts: &[&str]) {
    for fact in facts {
        assert!(html.contains(fact), "{fact}\n{html}");
    }
}

/// Whether the tags of the sheet are closed in the order in which they were opened.
fn is_well_formed(html: &str) -> bool {
    let void = ["meta", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let style = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    for (at, _) in html.match_indices('<') {
        if style.contains(&at) && at != style.start {
            continue;
        }
        let inside = html[at + 1..].split('>').next().unwrap();
        if let Some(name) = inside.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
            continue;
        }
        let name = inside.split([' ', '\n']).next().unwrap();
        if !void.contains(&name) {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn the_claim_of_karpov_was_not_correct() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let html = sheet(&["--pgn", &pgn, "--claim", "threefold:Nb5@50"]);
    says(
        &html,
        &[
            "<html lang=\"en\">",
            "<h1>Claim incorrect</h1>",
            "The game goes on (9.5.3).",
            "Set the clock: Black +2:00.",
            "The announced move 26.Nb5 must be played.",
            "Karpov, Anatoly",
            "Interpolis 10th",
            "(fide-2023), standard",
            "The position occurred 2 times (3 needed)",
            "No. 1 · 24.Nb5",
            "No. 2 · 26.Nb5",
            "announced, not made",
            "≠ · 22.Nb5",
            "Black could still castle with the rook on a8",
            "Counted from 21...Nxb2: capture.",
            &format!("{:x}", Hexed(&Sha256::digest(KARPOV_MILES))),
            concat!("remisd ", env!("CARGO_PKG_VERSION")),
            "The decision is the arbiter’s.",
        ],
    );
    assert_eq!(html.matches("role=\"img\"").count(), 3);
    assert!(is_well_formed(&html));
    assert!(!html.contains("<script") && !html.contains("://"));
}

struct Hexed<'a>(&'a [u8]);

impl std::fmt::LowerHex for Hexed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[test]
fn every_language_has_its_words_and_piece_letters() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let table = [
        (
            "en",
            "en",
            "Claim correct",
            "[Ra4]",
            "The game is drawn (9.5.2).",
        ),
        ("de", "de", "Antrag berechtigt", "[Ta4]", "Weiß am Zug"),
        (
            "de-ch",
            "de-CH",
            "Antrag berechtigt",
            "[Ta4]",
            "Weiss am Zug",
        ),
        (
            "nl",
            "nl",
            "Claim terecht",
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
    says(&oldest, &["White as the arbiter reads it off, Black +3:00"]);
}

#[test]
fn without_a_claim_the_position_is_shown() {
    let (_folder, pgn) = folder(KARPOV_MILES);
    let html = sheet(&["--pgn", &pgn]);
    says(
        &html,
        &[
            "No claim has been made",
            "It could be claimed now: same position for the third time (9.2.1).",
        ],
    );
}

#[test]
fn what_a_file_says_is_never_markup() {
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
    let journal = journal.to_str().unwrap();
    let no_file = folder.path().join("no.pgn");
    let no_file = no_file.to_str().unwrap();
    let table: [(&[&str], i32, &[&str]); 15] = [
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
    // What cannot be read after the claim does not matter to it, but is told.
    let html = sheet(&["--pgn", &pgn, "--game", "2", "--claim", "threefold@2"]);
    says(
        &html,
        &[
            "To be known",
            "What follows in the file cannot be read: ply 3, &quot;Ke3&quot;",
        ],
    );
}

/// A board whose journal is written while the tests read it.
struct Board {
    folder: TempDir,
    journal: Journal,
    id: BoardId,
    game: Game,
    bodies: Vec<Vec<u8>>,
}

impl Board {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::begin().unwrap();
        let clock = Arc::new(SystemClock::new());
        let (journal, _writer) = Journal::open(folder.path(), session, clock).unwrap();
        let id: BoardId = "b017".parse().unwrap();
        journal.recover(&id).await.unwrap();
        let game = Game::new(Rules::default());
        let mut board = Self {
            folder,
            journal,
            id,
            game,
            bodies: Vec::new(),
        };
        board.begin().await;
        board
    }

    async fn begin(&mut self) {
        let headers = [("White", "Ann"), ("Black", "Bob"), ("Event", "Club")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".to_owned(),
            rate: Rate::Standard,
            headers: BTreeMap::from(headers),
            cause: Cause::StartArray,
        })
        .await;
    }

    async fn input(&mut self, input: Input) -> u64 {
        let seq = self.game.seq() + 1;
        let millis = 1_700_000_000_000 + i64::try_from(seq).unwrap() * 1_000;
        let time = jiff::Timestamp::from_millisecond(millis).unwrap();
        let stamped = Stamped { seq, time, input };
        let facts = self.game.apply(&stamped);
        let begins_segment = facts.iter().any(|f| matches!(f, Fact::GameStarted { .. }));
        let entry = serde_json::json!({"time": time, "input": stamped.input, "facts": facts});
        let body = serde_json::to_vec(&entry).unwrap();
        if begins_segment {
            self.bodies.clear();
        }
        self.bodies.push(body.clone());
        let append = Append {
            board: self.id.clone(),
            seq,
            body: body.into(),
            begins_segment,
        };
        self.journal.append(append).await.unwrap();
        seq
    }

    async fn moves(&mut self, moves: &str, by: SettledBy) {
        for uci in moves.split(' ') {
            let clock = ClockState {
                white_ms: 600_000 - self.game.seq() * 1_000,
                black_ms: 500_000,
                running: None,
                flag: None,
            };
            self.input(Input::Move {
                uci: uci.to_owned(),
                by,
                clock: Some(clock),
            })
            .await;
        }
    }

    async fn command(&mut self, role: Role, verb: Verb) -> u64 {
        let id = format!("c{}", self.game.seq());
        let command = Asked {
            id,
            role,
            by: None,
            if_seq: None,
            verb,
        };
        let seq = self.input(Input::Command(command.clone())).await;
        let answer = self.game.answer(command.role, &command.id).unwrap();
        assert!(answer.ok, "{answer:?}");
        seq
    }

    async fn claim(&mut self, role: Role, announced: Option<&str>) -> u64 {
        let verb = Verb::Claim {
            player: None,
            kind: Claimed::Threefold,
            announced: announced.map(str::to_owned),
            written: true,
        };
        self.command(role, verb).await
    }

    fn sheet(&self, more: &[&str]) -> String {
        let directory = self.folder.path().to_str().unwrap();
        sheet(&[&["--journal", directory, "--board", "b017"], more].concat())
    }

    /// Every file with its length and the time of its last change.
    fn files(&self) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
        let mut files = Vec::new();
        for folder in [
            self.folder.path().to_owned(),
            self.folder.path().join("b017"),
        ] {
            for file in fs::read_dir(folder).unwrap() {
                let file = file.unwrap();
                let meta = file.metadata().unwrap();
                files.push((file.path(), meta.len(), meta.modified().unwrap()));
            }
        }
        files.sort();
        files
    }
}

const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";

#[tokio::test]
async fn a_journal_is_read_while_it_is_written() {
    let mut board = Board::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    let id = board.claim(Role::Black, Some("Ng8")).await;
    let bodies = board.bodies.clone();
    let files = board.files();
    let html = board.sheet(&[]);
    assert_eq!(board.files(), files, "nothing was written or locked");
    let mut hash = Sha256::new();
    for body in &bodies {
        hash.update(body);
        hash.update(b"\n");
    }
    says(
        &html,
        &[
            "Claim correct",
            "Board b017",
            "Ann",
            "Claimant",
            "Black (Bob)",
            "No. 1 · starting position",
            "No. 3 · 4...Ng8",
            "White 9:53, Black 8:20",
            "Journal b017/000000000001.jsonl, entries 1 to 9 (9).",
            &format!("{:x}", Hexed(&hash.finalize())),
            "2023-11-14 22:13:29 +00:00",
            "Nothing was recorded before this.",
        ],
    );
    assert!(!html.contains("Uncertain"), "{html}");
    assert!(is_well_formed(&html));

    // What happens afterwards changes nothing in what was claimed, but the ruling.
    let ruling = Ruling::Claim {
        correct: true,
        admissible: true,
    };
    board.command(Role::Arbiter, Verb::Ruling(ruling)).await;
    let ruled = board.sheet(&[]);
    says(
        &ruled,
        &["Ruling: claim correct, arbiter", "entries 1 to 9 (9)"],
    );
    board.begin().await;
    let fresh = board.sheet(&[]);
    says(
        &fresh,
        &["No claim has been made", "No move has been made."],
    );
    assert_eq!(board.sheet(&["--claim", &id.to_string()]), ruled);
}

#[tokio::test]
async fn the_digest_is_the_one_that_the_documentation_makes() {
    let mut board = Board::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    board.claim(Role::Black, Some("Ng8")).await;
    board.moves("f6g8", SettledBy::Clock).await;
    let html = board.sheet(&[]);
    let file = board.folder.path().join("b017/000000000001.jsonl");
    let command = format!(
        "sed -n 's/^.\\{{9\\}}{{\"seq\":[0-9]*,\"entry\":\\(.*\\)}}$/\\1/p' {} | head -n 9 | sha256sum",
        file.display()
    );
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/evidence.md"));
    let documented = command.replace(&file.display().to_string(), "000000000001.jsonl");
    assert!(page.unwrap().contains(&documented), "{documented}");
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let digest = text(&output.stdout);
    let digest = digest.split(' ').next().unwrap();
    assert!(digest.len() == 64 && html.contains(digest), "{digest}");
}

#[tokio::test]
async fn what_is_not_certain_is_told() {
    let mut board = Board::new().await;
    board.moves("e2e4 e7e5", SettledBy::Clock).await;
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    board.command(Role::Arbiter, Verb::Setup { fen }).await;
    board.moves("g1f3 g8f6 f3g1 f6g8", SettledBy::Clock).await;
    board
        .moves("g1f3 g8f6 f3g1", SettledBy::Reconstructed)
        .await;
    let player = Side::Black;
    board
        .command(
            Role::Arbiter,
            Verb::Ruling(Ruling::IllegalMove {
                player,
                claimed: false,
            }),
        )
        .await;
    board
        .input(Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: vec![SeenSquare {
                square: "e4".to_owned(),
                expected: None,
                seen: Some('P'),
            }],
            candidates: Vec::new(),
        })
        .await;
    let square = "f6".to_owned();
    board
        .command(Role::Arbiter, Verb::Touch { player, square })
        .await;
    let id = board.claim(Role::Black, Some("Ng8")).await;
    board.moves("f6g8", SettledBy::Clock).await;
    let html = board.sheet(&[]);
    says(
        &html,
        &[
            "The arbiter decides",
            "decide whether the right to claim is lost (9.4)",
            "If the right is lost, the claim is not admissible: no penalty",
            "If the claim is not upheld: The game goes on",
            "piece on f6",
            "seen by the arbiter",
            "Uncertain: compare with both scoresheets.",
            "The position was set up in mid-game.",
            "positions in between are not known: 3.Nf3, 3...Nf6, 4.Ng1.",
            "since ply 8 (no legal move leads there): e4: nothing expected, pawn (White) seen.",
            "illegal move by Black, no. 1",
            "White +2:00 (illegal move)",
            "Illegal moves so far: White 0, Black 1.",
        ],
    );
    let other = board.sheet(&["--claim", &id.to_string(), "--laws", "fide-1997"]);
    says(
        &other,
        &["Claim correct", "played under (fide-2023, standard)"],
    );
    let directory = board.folder.path().to_str().unwrap();
    let wrong = ["--journal", directory, "--board", "b017", "--claim"];
    let (code, message) = refused(&[&wrong[..], &["3"]].concat());
    assert_eq!(code, 2);
    assert!(
        message.contains("no claim 3") && message.contains(&id.to_string()),
        "{message}"
    );
    let (code, _) = refused(&[&wrong[..], &["threefold"]].concat());
    assert_eq!(code, 2);
}

#[tokio::test]
async fn entries_that_are_missing_or_damaged_are_told() {
    let mut board = Board::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    board.input(Input::Clock { clock: None }).await;
    board.claim(Role::Black, Some("Ng8")).await;
    let file = board.folder.path().join("b017/000000000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    // Line 10 is entry 9, after the header.
    let damaged: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| line.replace("clock", if at == 9 { "clack" } else { "clock" }))
        .collect();
    fs::write(&file, damaged.join("\n") + "\n").unwrap();
    let html = board.sheet(&[]);
    says(
        &html,
        &["Uncertain", "Entries 9 to 9 of the journal are missing."],
    );
}

/// Prints a sheet with Chromium and returns the PDF.
fn printed(folder: &Path, html: &str) -> Vec<u8> {
    let (page, pdf) = (folder.join("sheet.html"), folder.join("sheet.pdf"));
    fs::write(&page, html).unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(&page)
        .output()
        .expect("tests/run installs chromium");
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::read(pdf).unwrap()
}

/// The pages of a PDF by their objects.
fn pages(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let objects = text.match_indices("/Type /Page");
    objects
        .filter(|(at, found)| !text[at + found.len()..].starts_with('s'))
        .count()
}

#[test]
fn an_ordinary_claim_prints_to_one_page_of_a4() {
    let (folder, pgn) = folder(KARPOV_MILES);
    for language in ["en", "de", "nl"] {
        let claims = ["threefold:Nb5@50", "threefold:Ra4", "fifty_move@51"];
        for claim in claims {
            let html = sheet(&["--pgn", &pgn, "--claim", claim, "--lang", language]);
            let pdf = printed(folder.path(), &html);
            assert_eq!(pages(&pdf), 1, "{language} {claim}");
            let text = String::from_utf8_lossy(&pdf);
            let media = text.split("/MediaBox").nth(1).unwrap();
            let media: Vec<f64> = media
                .trim_start_matches([' ', '['])
                .split(']')
                .next()
                .unwrap()
                .split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect();
            // A4 in points.
            assert!(
                (media[2] - 595.3).abs() < 1.0 && (media[3] - 841.9).abs() < 1.0,
                "{media:?}"
            );
        }
    }
}
