//! Evidence from collected cases, and the sheet in every language.

mod examination;
mod form;
mod sheet;

use jiff::tz::TimeZone;
use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};
use serde_json::Value;
use shakmaty::Square;

use super::{
    page::{Style, page},
    *,
};
use crate::words::Language;
use remisd_game::{AccountVersion, ClaimDecision, ClaimRuling, SeenSquare};
use remisd_laws::{FIDE_1997, FIDE_2005, FIDE_2014, FIDE_2023, Rate, Regulations};
use remisd_vocabulary::reading::MismatchReason;

/// A collected case, played under an edition up to `plies`.
fn case(id: &str, edition: &'static laws::Edition, plies: usize) -> Record {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/laws/cases.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let case = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|case| case["id"] == id)
        .unwrap_or_else(|| panic!("no case {id}"));
    let start = parse_position(case["start_fen"].as_str().unwrap()).unwrap();
    let mut record = Record::new(start, Regulations::new(edition, Rate::Standard));
    for uci in case["moves_uci"].as_array().unwrap().iter().take(plies) {
        record.play(uci.as_str().unwrap()).unwrap();
    }
    record
}

fn moves(record: &mut Record, moves: &str) {
    for text in moves.split_whitespace() {
        record.play(text).unwrap();
    }
}

fn plies(evidence: &Evidence) -> Vec<Ply> {
    evidence.occurrences.iter().map(|o| o.place.ply).collect()
}

fn sheet_of(record: &Record, language: Language) -> String {
    let style = Style {
        language,
        zone: TimeZone::UTC,
    };
    page(record, &Evidence::of(record), &style)
}

/// Karpov against Miles: White claims with 26.Nb5.
fn karpov() -> Record {
    let mut record = case("R-KM86", &FIDE_2023, 50);
    record.claim(Claimed::Threefold, Some("Nb5")).unwrap();
    record
}

/// Every kind of incident.
fn incidents(record: &Record) -> [Happened; 7] {
    [
        Happened::IllegalMove {
            by: Color::White,
            nth: 1,
        },
        Happened::Adjustment {
            white: TimeChange::SetMs(60_000),
            black: TimeChange::Unknown,
            reason: remisd_game::AdjustmentReason::IllegalMove,
        },
        Happened::Claimed {
            id: EntrySeq::new(7),
            by: Color::Black,
            kind: Claimed::FiftyMove,
        },
        Happened::Ruled {
            id: EntrySeq::new(7),
            decision: ClaimDecision::NotAdmissible,
        },
        Happened::NotPlayed {
            by: Color::Black,
            announced: record.moves[0].text.clone().into(),
            played: record.moves[1].text.clone(),
        },
        Happened::VersionChosen {
            source: "games.pgn".to_owned(),
            from: 3,
            version: AccountVersion::Record,
            by: "arbiter".to_owned(),
        },
        Happened::Corrected {
            to_ply: 2,
            by: "arbiter".to_owned(),
        },
    ]
}

/// A record with every part.
fn full() -> Record {
    let mut record = karpov();
    let time = jiff::Timestamp::UNIX_EPOCH;
    for what in incidents(&record) {
        record.incidents.push(Incident {
            ply: 10,
            time,
            what,
        });
    }
    record.illegal_moves = (1, 0);
    record.moves[20].after_gap = true;
    record.moves[20].clock_ms = Some(60_000);
    record.times = Some(Times {
        white_ms: Some(60_000),
        black_ms: None,
    });
    record.offers.push((4, Color::Black));
    record.doubts = vec![
        Doubt::SetUp,
        Doubt::AfterGap(vec![21]),
        Doubt::Assumed(vec![22]),
        Doubt::AccountDiffers {
            source: "games.pgn".to_owned(),
            from: 20,
            record: "10…Nc6 11.d4".to_owned(),
            other: "10…Nd7".to_owned(),
        },
        Doubt::AccountDiffers {
            source: "games.pgn".to_owned(),
            from: 1,
            record: String::new(),
            other: String::new(),
        },
        Doubt::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: vec![SeenSquare {
                square: Square::E4,
                expected: Some('P'),
                seen: None,
            }],
            since_ply: 49,
            doubted_since: Some(47),
        },
        Doubt::NotAgreed(50),
        Doubt::MissingEntries {
            from: EntrySeq::new(3),
            to: EntrySeq::new(4),
        },
        Doubt::StrangeEntries(vec![EntrySeq::new(9)]),
        Doubt::CorrectedSince {
            to_ply: 49,
            by: "Anna".to_owned(),
        },
        Doubt::NotRecorded {
            from: EntrySeq::new(61),
            to: EntrySeq::new(62),
        },
        Doubt::Unreadable("x".to_owned()),
        Doubt::StartGiven { halfmoves: 3 },
        Doubt::OtherLaws {
            edition: &FIDE_2014,
            rate: Rate::Rapid,
        },
    ];
    record.source = Some(Source::Journal {
        file: "b1/000000000001.jsonl".to_owned(),
        first: EntrySeq::new(1),
        last: EntrySeq::new(60),
        entries: 60,
        sha256: "00".repeat(32),
    });
    record
}
