//! Cases of offers, claims, flags and rulings: the events are told to a game, command by
//! command, and what the case expects must hold after the last of them.

use remisd::{
    dead::Verdict,
    game::{
        AlertCode, Answer, Claimed, Fact, Input, Level, OfferEnd, RefusalCode, ResultReason, Role,
        Ruling, Score, Side, Verb,
    },
    laws::{
        AgreementRule, Basis, ClaimKind, Edition, Finding, FlagCall, QuickplayDecision,
        Regulations, Remark, StopsClock, TimeChange,
    },
};
use serde_json::Value;
use shakmaty::{Chess, Color, Piece, Position as _, Square};

use super::table::{QUIET, Table, milliseconds, rate};

const MATE_IN_ONE: &str = "7k/8/6K1/8/8/8/8/R7 w - - 149 120";
const STALEMATE_IN_ONE: &str = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 80";
/// The player who loses by an illegal move when the case does not say in which position.
const CAN_MATE: &str = "8/8/4k3/8/2n5/8/4K3/3R4 w - - 0 1";
const CANNOT_MATE: &str = "8/8/4k3/8/2b5/8/3K4/3R4 w - - 0 1";

pub fn check(case: &Value, edition: &'static Edition) {
    for mode in case["given"]["mode"]
        .as_str()
        .unwrap_or("standard")
        .split('|')
    {
        let regulations = regulations(&case["given"], edition, mode);
        if case["expect"]["result"]
            == "loss, or draw if opponent cannot mate by any series of legal moves"
        {
            for (fen, result) in [(CAN_MATE, "0-1"), (CANNOT_MATE, "1/2-1/2")] {
                let mut case = case.clone();
                case["given"]["fen"] = fen.into();
                case["expect"]["result"] = result.into();
                run(&case, regulations.clone());
            }
        } else {
            run(case, regulations);
        }
    }
}

fn regulations(given: &Value, edition: &'static Edition, mode: &str) -> Regulations {
    let number = |key: &str| given[key].as_u64().map(|n| u32::try_from(n).unwrap());
    Regulations {
        agreement: match number("no_agreement_before") {
            _ if given["no_agreement_ever"] == true => AgreementRule::Never,
            // Before move 30 is before 29 moves have been made.
            Some(n) => AgreementRule::NotBefore(n - 1),
            None => AgreementRule::Free,
        },
        quickplay_announced: given["announced"] != false,
        increment: given["increment"] == true,
        ..Regulations::new(edition, rate(mode))
    }
}

/// What happened, as far as the game alone does not tell.
struct Story<'a> {
    case: &'a Value,
    table: Table,
    /// The move that a player has written down.
    written: Option<String>,
    /// The answers to the last acceptance, claim, withdrawal, flag.
    accepted: Option<Answer>,
    claimed: Option<Answer>,
    withdrawn: Option<Answer>,
    flagged: Option<Answer>,
    /// A claim was still being checked after the last event.
    open_to_the_end: bool,
}

fn run(case: &Value, regulations: Regulations) {
    let mut story = Story {
        case,
        table: base(case, regulations),
        written: None,
        accepted: None,
        claimed: None,
        withdrawn: None,
        flagged: None,
        open_to_the_end: false,
    };
    for event in case["events"].as_array().unwrap() {
        story.happens(event.as_str().unwrap());
        story.table.settle();
    }
    story.open_to_the_end = story.table.game.open_claim().is_some();
    story.rule();
    for (key, value) in case["expect"].as_object().unwrap() {
        story.expect(key, value);
    }
}

/// The color that an event begins with.
fn player(event: &str) -> Option<Color> {
    match event.split(' ').next()? {
        "w" => Some(Color::White),
        "b" => Some(Color::Black),
        _ => None,
    }
}

/// The board before the first event.
fn base(case: &Value, regulations: Regulations) -> Table {
    let given = &case["given"];
    let events: Vec<&str> = case["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event.as_str().unwrap())
        .collect();
    let has = |text: &str| events.iter().any(|event| event.contains(text));
    let named = given["to_move"].as_str().and_then(player);
    let claims = events.iter().find(|event| event.contains(" claims "));
    let claimant = claims.and_then(|event| player(event));
    let turn = named.or(claimant).unwrap_or(Color::White);
    let halfmoves = given["halfmoves"].as_u64();

    let mut table = Table::new(regulations);
    if let Some(fen) = given["fen"].as_str().filter(|_| !has("dead position")) {
        let fen = with(fen, named, halfmoves.map(|n| n - 1));
        if let Some(plies) = given["plies"].as_u64() {
            // The game has gone on for so long, and is taken up from the position.
            let number = plies / 2 + 1;
            let fen = format!("{} {number}", fen.rsplit_once(' ').unwrap().0);
            table.ok(Role::Operator, Verb::Setup { fen });
        } else {
            table.begin_at(&fen);
        }
    } else if has("checkmates") || has("mate") && !has("stalemates") {
        table.begin_at(MATE_IN_ONE);
    } else if has("stalemates") {
        table.begin_at(STALEMATE_IN_ONE);
    } else if let Some(wanted) = given["claim_9_2a"].as_array() {
        before_third(&mut table, wanted[0].as_str().unwrap());
    } else if given["claim_9_3a"].is_array() {
        table.begin_at(&with(QUIET, None, Some(99)));
    } else if given["claim_9_3b"] == true {
        table.begin_at(&with(QUIET, Some(turn), Some(100)));
    } else if given["claim_9_2b"] == true {
        table.begin_at(&with(QUIET, Some(turn), None));
        let cycle = table.cycle();
        let mut moves = cycle.iter().chain(&cycle).copied();
        let before = if has("(wrong)") { 6 } else { 8 };
        moves.by_ref().take(before).for_each(|m| table.play(m));
        table.planned = moves.collect();
    } else if has("writes") {
        table.begin_at(QUIET);
    } else if let Some(occurrence) = given["occurrence"].as_u64() {
        repeat(&mut table, occurrence, given["spacing_plies"].as_u64());
        if has("fivefold appears") {
            table.begin_at(QUIET);
        }
    } else if let Some(halfmoves) = halfmoves {
        table.begin_at(&with(QUIET, None, Some(halfmoves - 1)));
        table.wander(1);
    } else if let Some(ply) = given["fivefold_at_ply"].as_u64() {
        table.wander(u32::try_from(ply).unwrap() - 16);
        let cycle = table.cycle();
        (0..4).for_each(|_| cycle.iter().for_each(|m| table.play(*m)));
        let flag = given["flag_at_ply"].as_u64().unwrap();
        table.wander(u32::try_from(flag - ply).unwrap());
    } else {
        let plies = given["plies"].as_u64();
        let move_number = given["move"].as_u64();
        let moves = move_number.map_or(10, |n| n - 1);
        let plies = plies.unwrap_or(2 * moves + turn.fold_wb(0, 1));
        table.wander(u32::try_from(plies).unwrap());
    }
    let running = Side::from(table.game.turn());
    let time = &given["claimant_remaining_s"];
    table.show_clock(|clock| {
        clock.running = Some(running);
        if !time.is_null() {
            (clock.white_ms, clock.black_ms) = (milliseconds(time), milliseconds(time));
        }
    });
    if let Some(by) = given["offer_by"].as_str().and_then(player) {
        let offer = Verb::Offer {
            player: None,
            condition: None,
        };
        assert!(table.player(by, offer).ok);
    }
    table.settle();
    table
}

/// A FEN with another player to move and another halfmove clock.
fn with(fen: &str, turn: Option<Color>, halfmoves: Option<u64>) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    if let Some(turn) = turn {
        fields[1] = turn.char().to_string();
    }
    if let Some(halfmoves) = halfmoves {
        fields[4] = halfmoves.to_string();
    }
    fields.join(" ")
}

/// White stands before a move by which a position occurs for the third time, while the
/// position on the board has occurred only twice.
fn before_third(table: &mut Table, san: &str) {
    let fen = match san {
        "Qe2" => "1n4k1/3p4/8/8/8/8/4Q3/4K1N1 b - - 0 40",
        "Qd3" => "1n4k1/3p4/8/8/8/3Q4/8/4K1N1 b - - 0 40",
        other => panic!("{other}: no position has been prepared"),
    };
    table.begin_at(fen);
    for m in ["Kh8", "Qd1", "Kg8", san, "Kh8", "Qd1", "Kg8"] {
        table.play_san(m);
    }
    assert_eq!(table.game.draw().repetition.count(), 2);
}

/// The position on the board has occurred so often, each time so many plies later.
fn repeat(table: &mut Table, occurrence: u64, spacing: Option<u64>) {
    table.begin_at(QUIET);
    for _ in 1..occurrence {
        if spacing == Some(6) {
            for m in ["Qd2", "Kh8", "Qe2", "Kh7", "Qd1", "Kg8"] {
                table.play_san(m);
            }
        } else {
            let cycle = table.cycle();
            cycle.iter().for_each(|m| table.play(*m));
        }
    }
    assert_eq!(table.game.draw().repetition.count() as u64, occurrence);
}

/// Where a player has a piece of this role; any other piece but the king where he has none.
fn square(position: &Chess, color: Color, role: shakmaty::Role) -> String {
    let board = position.board();
    let own = board.by_piece(Piece { color, role });
    let others = board.by_color(color) & !board.kings();
    let square: Option<Square> = own.first().or(others.first());
    square.expect("a piece").to_string()
}

impl Story<'_> {
    fn happens(&mut self, event: &str) {
        let Some(by) = player(event) else {
            return self.said(event);
        };
        let what = event.split_once(' ').unwrap().1;
        let named = Some(Side::from(by));
        match what {
            "offers" | "offers draw" | "offers draw if board 2 is drawn" => {
                let condition = what.split_once("if ").map(|(_, text)| text.to_owned());
                let offer = Verb::Offer {
                    player: None,
                    condition,
                };
                assert!(self.table.player(by, offer).ok, "{event}");
            }
            "accepts" => {
                let accept = Verb::Accept { player: None };
                self.accepted = Some(self.table.player(by, accept));
            }
            "says no" => {
                let decline = Verb::Decline { player: None };
                assert!(self.table.player(by, decline).ok);
            }
            "withdraws" | "withdraws offer" => {
                let decline = Verb::Decline { player: None };
                self.withdrawn = Some(self.table.player(by, decline));
            }
            "says j'adoube" => {
                let adjust = Verb::Adjust { player: None };
                assert!(self.table.player(by, adjust).ok);
            }
            "adjusts piece" => self.lift(by, by, shakmaty::Role::Knight),
            "touches own knight (accident)" => {
                self.lift(by, by, shakmaty::Role::Knight);
                self.table.ok(Role::Arbiter, Verb::Adjust { player: named });
            }
            "touches own knight (intent)" => self.lift(by, by, shakmaty::Role::Knight),
            "touches own rook (intent)" => self.lift(by, by, shakmaty::Role::Rook),
            "touches opponent's knight (intent)" => {
                let square = square(self.position(), by.other(), shakmaty::Role::Knight);
                let touch = Verb::Touch {
                    player: by.into(),
                    square,
                };
                self.table.ok(Role::Arbiter, touch);
            }
            "makes a move" => {
                self.rule();
                self.table.make_a_move();
            }
            "presses clock" => {
                self.table
                    .show_clock(|clock| clock.running = Some(by.other().into()));
            }
            "resigns" => {
                assert!(self.table.player(by, Verb::Resign { player: None }).ok);
            }
            "flag falls" => self.flag_falls(by),
            "checkmates" => self.table.play_san("Ra8#"),
            "stalemates" => self.table.play_san("Qf7"),
            "claims 10.2" | "claims G.5" | "claims III.5" | "claims G.5 / III.5" => {
                self.claim(by, Claimed::Quickplay, None);
            }
            "wants Qd3" => self.claim(by, Claimed::Threefold, Some("Qd3")),
            _ => match what.split_once(' ') {
                Some(("writes" | "enters", what)) => {
                    let san = what.strip_prefix("illegal ").unwrap_or(what);
                    let san = san.split(' ').next().unwrap();
                    self.written = Some(san.to_owned());
                }
                Some(("plays", san)) => self.table.play_san(san),
                _ if what.starts_with("claims") => {
                    self.rule();
                    if !what.contains("clock running") {
                        self.table.show_clock(|clock| clock.running = None);
                    }
                    let kind = if what.starts_with("claims 9.3") {
                        Claimed::FiftyMove
                    } else {
                        Claimed::Threefold
                    };
                    let written = self.written.take();
                    self.claim(by, kind, written.as_deref());
                }
                _ => panic!("{event}: what is that?"),
            },
        }
    }

    /// What happens without one of the players being named.
    fn said(&mut self, event: &str) {
        match event {
            "arbiter agrees" => self.decide(QuickplayDecision::Draw),
            "arbiter postpones" => self.decide(QuickplayDecision::Postpone),
            "arbiter rejects" => self.decide(QuickplayDecision::Reject),
            "arbiter consents" => self.ruling(Ruling::Agreement { consent: true }),
            "claim found incorrect" | "claim incorrect" => {
                self.ruling(Ruling::Claim { correct: false });
            }
            "illegal move completed" => self.illegal_move(false),
            "opponent claims" => self.illegal_move(true),
            "arbiter waits one move" => self.ruling(Ruling::IllegalPosition {}),
            "arbiter notices flag" | "(clock not stopped) w flag falls" => {
                self.flag_falls(Color::White);
            }
            "arbiter sees flag" => {
                self.table
                    .show_clock(|clock| clock.flag = Some(Side::White));
            }
            "record shows fivefold at ply 90" => {
                let (ply, _) = self.table.game.ended().expect("an end");
                assert_eq!(ply, 90);
            }
            "dead position appears" => {
                let fen = self.case["given"]["fen"].as_str().unwrap().to_owned();
                self.table.ok(Role::Arbiter, Verb::Setup { fen });
                self.table.settle();
                assert_eq!(self.table.game.dead(), Some(Verdict::Dead));
            }
            "fivefold appears" => {
                let cycle = self.table.cycle();
                (0..4).for_each(|_| cycle.iter().for_each(|m| self.table.play(*m)));
                assert_eq!(self.table.game.draw().repetition.count(), 5);
            }
            "seventy-five appears" => {
                let [quiet, ..] = self.table.cycle();
                self.table.play(quiet);
                assert_eq!(self.table.game.draw().halfmove_clock, 150);
            }
            "mate" => self.table.play_san("Ra8#"),
            // The claim on the flag comes with what the clocks show.
            "claim" | "scoresheets signed" => {}
            "both clocks at 0" => {
                self.no_time_left();
                let ruling = Ruling::Flag {
                    player: Side::White,
                };
                self.flagged = Some(self.table.command(Role::Arbiter, Verb::Ruling(ruling)));
            }
            // A clock says which flag fell first. Where that is not known nothing
            // follows by itself; a draw is the arbiter's to enter.
            "both flags down, order unknown" => {
                self.no_time_left();
                assert_eq!(self.table.score(), None);
                if self.case["expect"]["result"] == "1/2-1/2" {
                    self.enter(Score::Draw);
                }
            }
            "claim 9.2 accepted" => {
                self.claim(self.table.game.turn(), Claimed::Threefold, None);
                self.ruling(Ruling::Claim { correct: true });
                assert_eq!(self.table.score(), Some(Score::Draw));
            }
            "arbiter re-checks: claim wrong" => {
                let claim = &self.table.game.claims()[0];
                assert_eq!(claim.finding, Some(Finding::Incorrect));
                self.enter(Score::None);
            }
            _ => panic!("{event}: what is that?"),
        }
    }

    fn position(&self) -> &Chess {
        self.table.game.position()
    }

    /// The sensors see a piece lifted, and it is not known why.
    fn lift(&mut self, by: Color, of: Color, role: shakmaty::Role) {
        let square = square(self.position(), of, role);
        let by = by.into();
        self.table.input(Input::Touched { by, square });
    }

    fn claim(&mut self, by: Color, kind: Claimed, announced: Option<&str>) {
        let claim = Verb::Claim {
            player: None,
            kind,
            announced: announced.map(str::to_owned),
            written: true,
        };
        self.claimed = Some(self.table.player(by, claim));
    }

    fn ruling(&mut self, ruling: Ruling) {
        self.table.ok(Role::Arbiter, Verb::Ruling(ruling));
    }

    fn decide(&mut self, decision: QuickplayDecision) {
        self.ruling(Ruling::Quickplay {
            decision,
            bonus: false,
        });
    }

    fn enter(&mut self, score: Score) {
        self.table
            .ok(Role::Arbiter, Verb::Result { score, game: None });
    }

    fn no_time_left(&mut self) {
        self.table.show_clock(|clock| {
            (clock.white_ms, clock.black_ms, clock.running) = (0, 0, None);
        });
    }

    /// The flag falls and the arbiter says so.
    fn flag_falls(&mut self, by: Color) {
        let player = Side::from(by);
        self.table.show_clock(|clock| clock.flag = Some(player));
        self.table.settle();
        let ruling = Verb::Ruling(Ruling::Flag { player });
        self.flagged = Some(self.table.command(Role::Arbiter, ruling));
    }

    /// The given player's so manieth illegal move; where the arbiter waits for a claim it
    /// counts when that has come.
    fn illegal_move(&mut self, claimed: bool) {
        if self.table.game.regulations().illegal_moves().on_claim != claimed {
            return;
        }
        let given = &self.case["given"];
        let player = given["player"].as_str().and_then(player);
        let player = Side::from(player.unwrap_or(Color::White));
        for _ in 0..given["n"].as_u64().unwrap() {
            self.table.facts.clear();
            self.ruling(Ruling::IllegalMove { player });
            self.table.settle();
        }
    }

    /// The arbiter rules as the record shows it, unless he has to weigh a touch.
    fn rule(&mut self) {
        let Some(claim) = self.table.game.open_claim() else {
            return;
        };
        if claim.contested.is_some() {
            return;
        }
        match claim.finding {
            Some(Finding::Correct) => self.ruling(Ruling::Claim { correct: true }),
            Some(Finding::Incorrect) => self.ruling(Ruling::Claim { correct: false }),
            _ => {}
        }
    }

    fn expect(&self, key: &str, value: &Value) {
        let edition = self.table.game.edition();
        let at = format!("{} at {:?}: {key}", edition.id, self.table.game.rate());
        match value {
            Value::String(text) => self.expect_text(key, text, &at),
            Value::Bool(wanted) => self.expect_word(key, *wanted, &at),
            Value::Null => {
                assert_eq!(key, "result");
                assert_eq!(self.table.score(), None, "{at}");
            }
            Value::Number(seconds) => {
                assert_eq!(key, "opponent_bonus_s");
                self.expect_bonus(seconds.as_i64().unwrap(), &at);
            }
            Value::Object(by_edition) if key == "article" => {
                let dates = by_edition.iter();
                let mut of = dates.filter(|(d, _)| edition.in_force_from.starts_with(&d[..]));
                assert_eq!(edition.articles.distraction, of.next().unwrap().1, "{at}");
            }
            Value::Object(by_rate) if key == "opponent_bonus_s" => {
                let rate = serde_json::to_value(self.table.game.rate()).unwrap();
                let seconds = &by_rate[rate.as_str().unwrap()];
                self.expect_bonus(seconds.as_i64().unwrap(), &at);
            }
            _ => panic!("{at}: what is {value}?"),
        }
    }

    /// The opponent's clock gains so much, and nothing else changes.
    fn expect_bonus(&self, seconds: i64, at: &str) {
        let ordered = self.table.facts.iter().rev().find_map(|fact| match fact {
            Fact::AdjustmentOrdered(adjustment) => Some(adjustment),
            _ => None,
        });
        let ordered = ordered.expect("an adjustment");
        let mut changes = [ordered.white, ordered.black];
        let offender = self.case["given"]["player"].as_str().and_then(player);
        if offender.unwrap_or(Color::White) == Color::Black {
            changes.reverse();
        }
        let gained = TimeChange::AddMs(seconds * 1_000);
        assert_eq!(changes, [TimeChange::None, gained], "{at}");
    }

    fn expect_word(&self, key: &str, wanted: bool, at: &str) {
        let game = &self.table.game;
        match key {
            "accepted" => {
                let answer = self.accepted.as_ref().expect("an acceptance");
                let agreed = self.table.facts.iter().any(|fact| {
                    matches!(fact, Fact::ResultSet(r) if r.reason == ResultReason::Agreement)
                });
                assert_eq!(agreed, wanted, "{at}: {answer:?}");
                assert!(answer.ok || !wanted, "{at}: {answer:?}");
            }
            "regular" => {
                let offer = game.standing_offer().expect("an offer");
                assert_eq!(offer.regular, Some(wanted), "{at}");
            }
            // The announced move cannot be changed after the claim.
            "allowed" if self.claimed.is_some() => {
                let answer = self.claimed.as_ref().unwrap();
                assert_eq!(answer.ok, wanted, "{at}");
                assert!(game.edition().claims.move_unalterable, "{at}");
            }
            "allowed" => {
                let offer = game.standing_offer().expect("an offer");
                assert_eq!(offer.restricted, !wanted, "{at}");
            }
            "admissible" => {
                let answer = self.claimed.as_ref().expect("a claim");
                assert_eq!(answer.ok, wanted, "{at}: {answer:?}");
                let refused = (!wanted).then_some(RefusalCode::NotAdmissible);
                assert_eq!(answer.code, refused, "{at}");
            }
            "ok" => {
                let claim = &game.claims()[0];
                assert_eq!(claim.finding == Some(Finding::Correct), wanted, "{at}");
                let defect = claim.remarks.contains(&Remark::ClockNotStopped);
                assert_eq!(defect, !wanted, "{at}");
            }
            _ => panic!("{at}: what is {wanted}?"),
        }
    }

    fn expect_text(&self, key: &str, text: &str, at: &str) {
        let game = &self.table.game;
        match (key, text) {
            ("result", "1-0" | "0-1" | "1/2-1/2") => {
                let score = self.table.score().map(Score::as_str);
                assert_eq!(score, Some(text), "{at}: {:?}", game.result());
            }
            ("result", "win for the mating side") => {
                assert_eq!(self.table.score(), Some(Score::WhiteWins), "{at}");
            }
            ("result", "game resumed") => assert_eq!(self.table.score(), None, "{at}"),
            ("result", _) if text.starts_with("1/2-1/2 if ") => {
                assert_eq!(self.table.score(), Some(Score::Draw), "{at}");
            }
            ("result", _) if text.starts_with("arbiter: 1997 has no article") => {
                let answer = self.accepted.as_ref().expect("an acceptance");
                assert_eq!(answer.code, Some(RefusalCode::WrongState), "{at}");
                assert!(game.result().is_none(), "{at}");
            }
            ("offer", "open" | "still open") => {
                assert!(game.standing_offer().is_some(), "{at}");
                assert!(game.result().is_none(), "{at}");
            }
            ("offer", "rejected") => {
                assert_eq!(game.standing_offer(), None, "{at}");
                let refused = self.table.facts.iter().any(|fact| {
                    matches!(
                        fact,
                        Fact::OfferEnded {
                            how: OfferEnd::RefusedOrally
                                | OfferEnd::RefusedByTouch
                                | OfferEnd::RefusedByMove,
                            ..
                        }
                    )
                });
                assert!(refused, "{at}");
            }
            ("withdrawal", "void") => {
                let answer = self.withdrawn.as_ref().expect("a withdrawal");
                assert_eq!(answer.code, Some(RefusalCode::NotAdmissible), "{at}");
            }
            ("condition", "void") => {
                let offered = self.table.facts.iter().find_map(|fact| match fact {
                    Fact::OfferMade(offer) => Some(offer),
                    _ => None,
                });
                let condition = offered.expect("an offer").condition.as_deref();
                assert_eq!(condition, Some("board 2 is drawn"), "{at}");
            }
            ("article", article) => assert_eq!(game.edition().articles.distraction, article),
            ("needs", "arbiter consent") => {
                let offered = game.standing_offer().is_some_and(|offer| offer.restricted);
                assert!(offered || game.pending_agreement().is_some(), "{at}");
                let code = match game.pending_agreement() {
                    Some(_) => AlertCode::AgreementRestricted,
                    None => AlertCode::OfferRestricted,
                };
                assert!(self.alert(code).is_some(), "{at}");
            }
            ("reason", "both players must have made at least one move (5.2.3)") => {
                let answer = self.accepted.as_ref().expect("an acceptance");
                assert_eq!(answer.code, Some(RefusalCode::NotAdmissible), "{at}");
                let message = answer.message.as_deref().unwrap();
                assert!(message.contains("5.2.3"), "{at}: {message}");
            }
            ("warn", "bringing the game into disrepute (12.1 / 11.1)") => {
                assert!(self.table.facts.contains(&Fact::AgreedWithoutPlay), "{at}");
            }
            ("action", "arbiter must check the claim anyway") => {
                assert!(self.open_to_the_end, "{at}");
            }
            ("action", "arbiter stops/pauses the clock") => {
                let clock = game.edition().claims.clock;
                assert_eq!(clock, StopsClock::PlayerOrArbiter, "{at}");
                let paused = |fact: &Fact| matches!(fact, Fact::Paused { .. });
                assert!(self.table.facts.iter().any(paused), "{at}");
            }
            ("action", "game continues") => assert_eq!(self.table.score(), None, "{at}"),
            ("move", _) => {
                let must = game.must_play().expect("a move that must be played");
                let san = text.split(' ').next().unwrap();
                assert!(must.announced.san.starts_with(san), "{at}: {must:?}");
                assert!(must.legal, "{at}");
            }
            ("claim", _) => self.expect_claim(text, at),
            ("arbiter_action", _) => self.expect_action(text, at),
            ("alert", "arbiter only, silent, informational") => {
                let level = self.alert(AlertCode::ThreefoldClaimable);
                assert_eq!(level, Some(Level::Amber), "{at}");
            }
            ("then", _) => self.another_move_with_the_piece(at),
            ("defect", _) => {
                let claim = &game.claims()[0];
                assert_eq!(claim.remarks, [Remark::ClockNotStopped], "{at}");
                assert_eq!(claim.finding, Some(Finding::Correct), "{at}");
            }
            ("note", "b may claim 9.2b") => {
                let may = game.draw().claims.iter().any(|claim| {
                    claim.by == Color::Black
                        && claim.kind == ClaimKind::Threefold
                        && claim.basis == Basis::Appeared
                });
                assert!(may, "{at}");
            }
            ("note", "'he may stop both clocks'") => {
                assert_eq!(game.edition().claims.clock, StopsClock::PlayerMay, "{at}");
            }
            ("why", "III.2.2") => {
                let answer = self.claimed.as_ref().expect("a claim");
                let message = answer.message.as_deref().unwrap();
                assert!(message.contains("increment"), "{at}: {message}");
            }
            ("record", _) => {
                let announced = game.result().and_then(|r| r.announced.as_ref());
                assert_eq!(announced.map(|m| m.san.as_str()), Some("Qe2"), "{at}");
                let last = game.moves().last().unwrap();
                assert_ne!(last.text.san, "Qe2", "{at}: it was not made");
            }
            _ => panic!("{at}: what is \"{text}\"?"),
        }
    }

    fn expect_claim(&self, text: &str, at: &str) {
        let game = &self.table.game;
        let answer = || self.claimed.as_ref().expect("a claim");
        match text {
            "admissible" => {
                assert!(answer().ok, "{at}: {:?}", answer());
                let claim = game.claims().last().unwrap();
                assert_eq!(claim.contested, None, "{at}");
            }
            "incorrect" => {
                let claim = game.claims().last().unwrap();
                assert_eq!(claim.finding, Some(Finding::Incorrect), "{at}");
            }
            // It cannot be taken back.
            "must be adjudicated" => {
                assert!(self.open_to_the_end, "{at}");
                assert!(!self.withdrawn.as_ref().expect("a withdrawal").ok, "{at}");
            }
            "fails: claimant must have time left" => {
                let flagged = self.flagged.as_ref().expect("a flag");
                assert_eq!(flagged.code, Some(RefusalCode::NotAdmissible), "{at}");
                assert_eq!(self.table.score(), None, "{at}");
            }
            // A lifted piece is evidence of a touch, no proof of intent: the claim is never
            // granted by itself, the arbiter is told what was touched and rules on it.
            "not admissible" if answer().ok => {
                let claim = game.open_claim().expect("a claim to rule on");
                assert!(claim.contested.is_some(), "{at}");
                assert_eq!(claim.remarks, [Remark::PieceTouchedBefore], "{at}");
                assert!(self.alert(AlertCode::ClaimContested).is_some(), "{at}");
                assert_eq!(self.table.score(), None, "{at}");
            }
            _ if text.starts_with("not admissible") => {
                let code = answer().code;
                assert_eq!(code, Some(RefusalCode::NotAdmissible), "{at}");
            }
            _ => panic!("{at}: what is \"{text}\"?"),
        }
    }

    fn expect_action(&self, text: &str, at: &str) {
        let game = &self.table.game;
        match text {
            "must stop the game" => {
                let (ply, end) = game.ended().expect("an end");
                assert_eq!(ply, game.ply(), "{at}");
                assert!(!end.article.is_empty(), "{at}");
                assert_eq!(self.table.score(), Some(Score::Draw), "{at}");
                let red = |alert: &remisd::game::Alert| alert.level == Level::Red;
                assert!(game.alerts().open().iter().any(red), "{at}");
            }
            "shall call it" => {
                assert_eq!(game.regulations().flag_call(), FlagCall::Call, "{at}");
                assert_eq!(self.alert(AlertCode::FlagFall), Some(Level::Red), "{at}");
            }
            _ if text.starts_with("none") => {
                assert_eq!((game.ended(), game.result()), (None, None), "{at}");
                let red = |alert: &remisd::game::Alert| alert.level == Level::Red;
                assert!(!game.alerts().open().iter().any(red), "{at}");
                assert!(!game.draw().claims.is_empty(), "{at}");
            }
            _ => panic!("{at}: what is \"{text}\"?"),
        }
    }

    fn alert(&self, code: AlertCode) -> Option<Level> {
        let open = self.table.game.alerts().open().iter();
        let mut open = open.filter(|alert| alert.code == code);
        open.next().map(|alert| alert.level)
    }

    /// An illegal announcement binds to its piece and is no illegal move.
    fn another_move_with_the_piece(&self, at: &str) {
        let must = self.table.game.must_play().expect("an announcement");
        assert!(!must.legal, "{at}");
        let mut table = self.table.clone();
        table.play_san("Nf3");
        let broken = |fact: &Fact| matches!(fact, Fact::AnnouncedMoveNotPlayed(_));
        assert!(!table.facts.iter().any(broken), "{at}");
        assert_eq!(table.game.illegal_moves(), (0, 0), "{at}");
        // Where the announcement names the square it is also seen that another was moved.
        let mut table = self.table.clone();
        table.begin_at(QUIET);
        let claim = Verb::Claim {
            player: None,
            kind: Claimed::Threefold,
            announced: Some("g1f7".to_owned()),
            written: true,
        };
        table.ok(Role::White, claim);
        table.ok(
            Role::Arbiter,
            Verb::Ruling(Ruling::Claim { correct: false }),
        );
        table.play_san("Qe2");
        assert!(table.facts.iter().any(broken), "{at}");
    }
}
