//! One alert of each kind, with the variants that change its text.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use remisd_game::{Alert, AlertCode};

/// An example of an alert, with the arguments that it illustrates.
#[derive(Debug, Clone)]
pub struct Specimen {
    /// The alert.
    pub alert: Alert,
    /// The names of the arguments in which it differs from the first specimen of its code. The
    /// first specimen lists them all; `article` is among them.
    pub differs: Vec<String>,
}

/// The specimens of an alert.
///
/// The first one has every argument. Each further one has another value of an argument that changes
/// the text. Where a colour appears, both colours are possible.
#[must_use]
pub fn specimens(code: AlertCode) -> Vec<Specimen> {
    let lines: Vec<Map<String, Value>> = match lines(code) {
        Value::Array(lines) => lines.iter().filter_map(Value::as_object).cloned().collect(),
        _ => Vec::new(),
    };
    let first = lines.first().cloned().unwrap_or_default();
    let specimens = lines.into_iter().map(|line| {
        let differs = line.keys().cloned().collect();
        let mut arguments = first.clone();
        arguments.extend(line);
        let article = match arguments.remove("article") {
            Some(Value::String(article)) => Some(article),
            _ => None,
        };
        let alert = Alert {
            id: code.as_str().to_owned() + "-1",
            level: code.level(),
            code,
            arguments,
            article,
            since: Timestamp::UNIX_EPOCH,
            acknowledged_by: None,
            acknowledged_at: None,
            escalated: false,
            subject: String::new(),
        };
        Specimen { alert, differs }
    });
    specimens.collect()
}

/// The first line is complete; the others hold only what differs.
fn lines(code: AlertCode) -> Value {
    match code {
        AlertCode::Fivefold => json!([{"ply": 84, "after": "42…Kg8", "article": "9.6.1"}]),
        AlertCode::SeventyFiveMove => json!([{"ply": 212, "after": "106…Kd5", "article": "9.6.2"}]),
        AlertCode::DeadPosition => dead_positions(),
        AlertCode::GameOver => json!([
            {"ply": 67, "after": "34.Qxf7#", "kind": "checkmate", "article": "5.1.1"},
            {"kind": "stalemate", "after": "34.Qg6", "article": "5.2.1"},
        ]),
        AlertCode::PlayAfterEnd => json!([
            {"ply": 84, "after": "42…Kg8", "kind": "fivefold", "now_ply": 90, "now_after": "45…Rd8", "decided": null, "by": null, "article": "9.6.1"},
            {"kind": "seventy_five_move", "article": "9.6.2"},
            {"kind": "dead_position", "article": "5.2.2"},
            {"kind": "checkmate", "article": "5.1.1"},
            {"kind": "stalemate", "article": "5.2.1"},
            {"kind": "fivefold", "decided": "agreement", "article": "9.6.1"},
            {"decided": "resignation", "by": "black"},
        ]),
        AlertCode::ClaimMade => claims(),
        AlertCode::FlagFall => json!([
            {"player": "white", "opponent_can_mate": "yes", "action": "call", "article": "6.9"},
            {"opponent_can_mate": "no"},
            {"opponent_can_mate": "unknown"},
            {"action": "may_call"},
            {"action": "refrain"},
        ]),
        AlertCode::AgreementRestricted => json!([
            {"reason": "before_move", "move": 30, "article": "9.1.1"},
            {"reason": "consent"},
            {"reason": "too_early", "move": 1, "article": "5.2.3"},
        ]),
        AlertCode::AnnouncedMoveNotPlayed => json!([
            {"by": "white", "announced": "Nb5", "played": "Qd2", "legal": "yes", "article": "9.5.3"},
            {"announced": "Nf6", "legal": "no"},
        ]),
        AlertCode::ClockAdjustment => json!([
            {"white_ms": 120_000, "black_ms": 0, "white_set_ms": null, "black_set_ms": null,
             "reason": "incorrect_claim", "article": "9.5.3"},
            {"white_ms": 180_000, "black_ms": -150_000},
            {"white_ms": 180_000, "black_ms": 0, "black_set_ms": 60_000},
            {"white_ms": 0},
            {"reason": "illegal_move", "article": "7.5.5"},
            {"reason": "quickplay", "article": "III.5.3"},
            {"reason": "increment", "article": "III.4"},
            {"reason": "arbiter", "article": null},
            {"reason": "withdrawn", "article": null},
        ]),
        AlertCode::DecisionNeeded => json!([
            {"what": "resignation", "player": "black", "waits_for": null, "move": null, "article": "5.1.2"},
            {"waits_for": "claim"},
            {"waits_for": "move", "move": "Qg6"},
            {"what": "flag_fall", "waits_for": null, "move": null, "article": "6.9"},
            {"what": "illegal_move", "article": "7.5.5"},
        ]),
        AlertCode::ClaimContested => json!([
            {"by": "white", "square": "c3", "sure": "yes", "move": null, "article": "9.4"},
            {"sure": "no"},
            {"sure": "yes", "move": "Nd5"},
        ]),
        AlertCode::ClaimReconsidered => json!([
            {"by": "white", "ply": 84, "after": "42…Kg8", "white_ms": null, "white_set_ms": null, "black_ms": null,
             "black_set_ms": null, "article": "9.5.3"},
            {"white_ms": 0, "black_ms": 120_000},
        ]),
        AlertCode::LeftUndecided => json!([
            {"game": 3, "what": "claim", "by": "white", "ply": 84, "score": null},
            {"what": "decision", "by": "black"},
            {"what": "increment", "by": "white"},
            {"what": "resignation", "by": "black"},
            {"what": "flag_fall", "by": "white"},
            {"what": "illegal_move", "by": "black"},
            {"what": "agreement", "by": null},
            {"what": "result", "by": null, "score": "1-0"},
            {"what": "accounts", "score": null, "source": "games.pgn", "record": "2…Nf6 3.Nxe5", "other": "2…Nc6 3.Bb5"},
            {"what": "accounts", "source": "b2", "record": null, "other": null},
            {"what": "game", "by": null},
            {"what": "game", "by": null, "move": "Nf3"},
            {"more": 1},
            {"more": 4},
        ]),
        _ => quiet(code),
    }
}

fn claims() -> Value {
    json!([
        {"by": "white", "kind": "threefold", "basis": "intended", "move": "Nb5",
         "legal": "yes", "verdict": "correct", "plies": [76, 80, 85], "after": ["38…Kg8", "40…Kg8", "43.Nb5"], "count": 3, "halfmove_clock": 23,
         "contested": "no", "after_flag": "no", "white_ms": 0, "white_set_ms": null, "black_ms": 120_000,
         "black_set_ms": null, "article": "9.2.1"},
        {"basis": "appeared", "move": "", "article": "9.2.2"},
        {"basis": "none", "move": ""},
        {"plies": [0, 4, 8], "after": ["start", "2…Ng8", "4…Ng8"]},
        {"kind": "fifty_move", "halfmove_clock": 100, "article": "9.3.1"},
        {"kind": "fifty_move", "verdict": "incorrect", "halfmove_clock": 1, "article": "9.5.3"},
        {"kind": "fifty_move", "verdict": "incorrect", "halfmove_clock": 98, "basis": "appeared", "move": "", "article": "9.5.3"},
        {"kind": "quickplay", "basis": "none", "move": "", "verdict": "arbiter_decides",
         "article": "III.5"},
        {"kind": "increment", "basis": "none", "move": "", "verdict": "none",
         "article": "III.4"},
        {"verdict": "incorrect", "plies": [76, 85], "after": ["38…Kg8", "43.Nb5"], "count": 2, "article": "9.5.3"},
        {"verdict": "incorrect", "legal": "no", "move": "Nf6", "plies": [], "after": [], "count": 0, "article": "9.5.3"},
        {"verdict": "incorrect", "plies": [], "after": [], "count": 0, "article": "9.5.3"},
        {"verdict": "incorrect", "plies": [8], "after": ["4…e5"], "count": 1, "basis": "appeared",
         "move": "", "article": "9.5.3"},
        {"verdict": "incorrect", "plies": [0], "after": ["start"], "count": 1, "basis": "appeared",
         "move": "", "article": "9.5.3"},
        {"verdict": "defective_not_written"},
        {"verdict": "arbiter_decides"},
        {"verdict": "none"},
        {"contested": "yes"},
        {"verdict": "arbiter_decides", "after_flag": "yes"},
    ])
}

fn dead_positions() -> Value {
    let king = |color: &str, home: &str| json!({"color": color, "role": "king", "home": home});
    let white = [
        king("white", "d3"),
        json!({"color": "white", "role": "bishop", "home": "f3"}),
    ];
    let visited = json!({"kind": "closure", "positions": 1260, "leaves": 0});
    let blocked = json!({
        "kind": "mobility", "no_check": ["b8", "c8"], "flight": [], "too_few": [],
        "blocked": ["a4", "c4", "a5", "c5"],
    });
    json!([
        {"ply": 97, "after": "49.Kxh1", "article": "5.2.2",
         "white": {"kind": "material", "lack": "bishops", "men": white},
         "black": {"kind": "material", "lack": "bare_king", "men": [king("black", "e8")]}},
        {"white": visited, "black": visited},
        {"white": blocked, "black": blocked},
        {"white": null, "black": null},
    ])
}

fn mismatches() -> Value {
    json!([
        {"reason": "no_legal_move", "squares": ["e4", "e5"], "since_ply": 31, "after": "15…Nc6",
         "candidates": []},
        {"reason": "no_legal_move", "doubted_since": 29, "doubted_from": "15.Nf3"},
        {"reason": "no_legal_move", "since_ply": 1, "after": "start"},
        {"reason": "pawn_not_promoted", "squares": ["e8"]},
        {"reason": "piece_missing", "squares": ["e4"]},
        {"reason": "ambiguous", "candidates": ["Nf3 Nc6", "Nc3 Nc6"]},
        {"reason": "ambiguous", "candidates": ["", "Nf3 Nc6"]},
        {"reason": "earlier_position"},
        {"reason": "start_array", "squares": ["b1", "c1"]},
    ])
}

/// The alerts that require no immediate action.
fn quiet(code: AlertCode) -> Value {
    match code {
        AlertCode::ThreefoldClaimable => json!([{"by": "white", "ply": 76, "article": "9.2.1"}]),
        AlertCode::FiftyMoveClaimable => json!([{"by": "white", "ply": 180, "article": "9.3.2"}]),
        AlertCode::FourthOccurrence => {
            json!([{"ply": 80, "plies": [64, 70, 76, 80],
                "after": ["32…Kg8", "35…Kg8", "38…Kg8", "40…Kg8"], "article": "9.6.1"}])
        }
        AlertCode::SeventyMoves => json!([
            {"halfmove_clock": 140, "moves_left": 5, "article": "9.6.2"},
            {"halfmove_clock": 148, "moves_left": 1},
        ]),
        AlertCode::RepetitionDisputed => {
            json!([{"by": "white", "ply": 44, "article": "9.2"}])
        }
        AlertCode::FivefoldUneven => {
            json!([{"ply": 84, "plies": [60, 64, 70, 80, 84],
                "after": ["30…Kg8", "32…Kg8", "35…Kg8", "40…Kg8", "42…Kg8"], "article": "9.6a"}])
        }
        AlertCode::OfferRepeated | AlertCode::ClaimsRepeated => {
            json!([{"by": "black", "count": 3, "article": "11.5"}])
        }
        AlertCode::OfferRestricted => json!([
            {"by": "white", "move": 30, "article": "9.1.1"},
            {"move": null},
        ]),
        AlertCode::AgreedWithoutPlay => json!([{"ply": 1, "article": "11.1"}]),
        AlertCode::ClockMismatch => json!([{"running": "white", "turn": "black"}]),
        AlertCode::DecisionPostponed => json!([
            {"by": "white", "ply": 92, "after": "46…Rd8", "flag": null, "article": "III.5"},
            {"flag": "white"},
        ]),
        AlertCode::BoardMismatch => mismatches(),
        AlertCode::ClockStopped | AlertCode::SessionTakenOver => json!([{}]),
        AlertCode::CountsRestarted => json!([{"ply": 31}]),
        AlertCode::ResultToConfirm | AlertCode::ResultUnconfirmed => results(code),
        AlertCode::ResultProposed => json!([
            {"winner": "white", "score": "1-0", "sign": "kings", "ply": 61, "after": "31.Rd1", "result": null},
            {"winner": "black", "score": "0-1"},
            {"winner": "draw", "score": "1/2-1/2"},
            {"sign": "result_piece"},
            {"sign": "source"},
            {"winner": "draw", "score": "1/2-1/2", "result": "1-0"},
        ]),
        AlertCode::PromotionAssumed => json!([
            {"count": 1, "plies": [97], "after": ["49.e8=Q"], "moves": ["e8=Q"]},
            {"count": 2, "plies": [97, 98], "after": ["49.e8=Q+", "49…a1=Q"], "moves": ["e8=Q+", "a1=Q"]},
        ]),
        AlertCode::JournalDown => json!([
            {"code": "full", "reason": "cannot write b1/000000000001.jsonl: No space left on device (os error 28)"},
            {"code": "read_only", "reason": "cannot write b1/000000000001.jsonl: Read-only file system (os error 30)"},
            {"code": "slow", "reason": "the disk does not answer"},
            {"code": "other", "reason": "cannot write b1/000000000001.jsonl: Input/output error (os error 5)"},
        ]),
        AlertCode::NodeTwice => json!([{"hosts": ["pi-2"]}]),
        AlertCode::PhoneSilent => json!([
            {"phone": "notify.0", "reason": "no answer within 30 s"},
        ]),
        AlertCode::EntriesLost => json!([
            {"game": 214, "from": 243, "to": 243, "count": 1, "since": 31, "left": null, "more": null},
            {"game": 214, "from": 243, "to": 249, "count": 5, "since": 31, "left": null, "more": null},
            {"game": 214, "from": 243, "to": 243, "count": 1, "since": null, "left": null, "more": null},
            {"game": 187, "from": 205, "to": 213, "count": 9, "since": null, "left": "part", "more": null},
            {"game": 187, "from": 187, "to": 213, "count": 27, "since": null, "left": "nothing", "more": null},
            {"game": 187, "from": 205, "to": 213, "count": 9, "since": null, "left": "unknown", "more": null},
            {"game": 187, "from": 205, "to": 206, "count": 2, "since": null, "left": "around", "more": null},
            {"game": 12, "from": 20, "to": 213, "count": 90, "since": null, "left": "unknown", "more": 1},
            {"game": 12, "from": 20, "to": 213, "count": 90, "since": null, "left": "unknown", "more": 7},
        ]),
        AlertCode::OtherRecord => json!([
            {"file": "000000000187.jsonl", "game": 187, "other": "000000000155.jsonl", "newest": "no"},
            {"newest": "yes"},
            {"more": 1},
            {"more": 4},
            {"file": "000000000214.jsonl.other", "game": 214, "other": null, "newest": "no", "more": null},
            {"other": null, "more": 1},
            {"other": null, "more": 4},
        ]),
        AlertCode::SensorsFaulty => json!([{"squares": ["c6", "h1"]}]),
        AlertCode::PliesReconstructed => json!([
            {"count": 2, "plies": [31, 32], "after": ["16.Nf3", "16…Nc6"]},
            {"count": 1, "plies": [31], "after": ["16.Nf3"]},
        ]),
        AlertCode::BoardLost => json!([
            {"code": "silent", "reason": "the board on /dev/ttyACM0 no longer answers"},
            {"code": "missing"},
            {"code": "denied"},
            {"code": "busy"},
            {"code": "not_opened"},
            {"code": "never_answered"}, {"code": "other_board"},
            {"code": "draughts"},
            {"code": "line_lost"},
            {"code": "unplugged"},
            {"code": "source", "reason": "/srv/round-1 does not exist"},
            {"code": null, "reason": "no answer for 1 s"},
        ]),
        _ => of_sources(code),
    }
}

/// What is doubtful about a program that writes the game, or about a second account.
fn of_sources(code: AlertCode) -> Value {
    match code {
        AlertCode::SourceUncertain => json!([
            {
                "source": "LiveChess 2.2.6", "doubt": "guessed", "plies": [4, 5],
                "after": ["2…Nc6", "3.Bb5"], "word": null, "line": null,
            },
            {"doubt": "king_moves", "plies": [97], "after": ["49.Kd4"]},
            {"doubt": "number", "plies": [1], "after": "start"},
            {"doubt": "unreadable", "plies": [3], "word": "Ke3", "after": "1…e5"},
            {"doubt": "unreadable", "plies": [1], "word": "Ke3", "after": "start"},
            {"doubt": "missing", "plies": [3], "after": "1…e5"},
            {"doubt": "missing", "plies": [1], "after": "start"},
            {"doubt": "differs", "plies": [4], "after": "2.Nf3", "line": "Nf6 Nc3"},
            {"doubt": "differs", "plies": [4], "after": "2.Nf3", "line": ""},
            {"doubt": "differs", "plies": [1], "after": "start", "line": "d4"},
        ]),
        AlertCode::SourceRewritten => json!([
            {
                "source": "LiveChess 2.2.6", "ply": 4, "was": "2…Nf6", "now": "2…Nc6 3.Bb5",
                "decided": "no",
            },
            {"now": "", "decided": "yes"},
        ]),
        AlertCode::AccountsDiffer => json!([
            {
                "account": "pgn", "source": "LiveChess 2.2.6", "own": null, "differs": "moves",
                "ply": 4, "after": "2.Nf3", "record": "2…Nf6 3.Nxe5", "other": "2…Nc6 3.Bb5",
                "word": null, "dropped": 0, "decided": "no",
            },
            {"own": "tablet 4", "after": "start", "record": "1.e3", "other": "1.e4"},
            {"account": "board", "source": "b2", "own": null, "decided": "yes"},
            {"decided": "no", "dropped": 1},
            {"dropped": 57},
            {"account": "pgn", "differs": "word", "other": null, "word": "Nxd5", "dropped": 0},
            {"differs": "over", "other": null, "word": null, "dropped": 2},
            {"differs": "over", "record": null, "other": "2…Nc6 3.Bb5", "dropped": 0},
            {"differs": "result", "record": "1-0", "other": "1/2-1/2"},
        ]),
        AlertCode::AccountNotCompared => json!([
            {"account": "pgn", "source": "LiveChess 2.2.6", "why": "players", "reason": null},
            {"why": "round"},
            {"why": "start"},
            {"why": "earlier"},
            {"account": "board", "source": "b2", "why": "next"},
            {"why": "lost", "reason": "/srv/games.pgn does not exist"},
        ]),
        _ => Value::Null,
    }
}

/// The results that the arbiter has not confirmed.
fn results(code: AlertCode) -> Value {
    match code {
        AlertCode::ResultToConfirm => json!([
            {"score": "1/2-1/2", "kind": "agreement", "ply": 61, "after": "31.Rd1", "article": "5.2.3"},
            {"kind": "threefold_claim", "article": "9.2.2"},
            {"kind": "fifty_move_claim", "article": "9.3.2"},
            {"score": "0-1", "kind": "resignation", "article": "5.1.2"},
            {"kind": "flag_fall", "article": "6.9"},
            {"kind": "illegal_move", "article": "7.5.5"},
            {"score": "1/2-1/2", "kind": "illegal_position", "article": "A.5.4"},
            {"kind": "quickplay", "article": "III.5"},
            {"score": "1-0", "kind": "arbiter", "article": null},
            {"score": "1-0", "kind": "checkmate"},
            {"score": "1/2-1/2", "kind": "stalemate"},
            {"kind": "dead_position"},
            {"kind": "fivefold"},
            {"kind": "seventy_five_move"},
        ]),
        AlertCode::ResultUnconfirmed => json!([
            {"game": 3, "score": "1/2-1/2", "kind": "fivefold", "ply": 84},
            {"kind": "seventy_five_move"},
            {"kind": "dead_position"},
            {"score": "1-0", "kind": "checkmate"},
            {"kind": "stalemate"},
            {"score": "1/2-1/2", "kind": "agreement"},
            {"kind": "threefold_claim"},
            {"kind": "fifty_move_claim"},
            {"kind": "illegal_position"},
            {"kind": "quickplay"},
            {"score": "0-1", "kind": "resignation"},
            {"kind": "flag_fall"},
            {"kind": "illegal_move"},
            {"kind": "arbiter"},
            {"more": 1},
            {"more": 3},
        ]),
        _ => Value::Null,
    }
}
