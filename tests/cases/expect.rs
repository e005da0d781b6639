//! Checks a case's expectations after the last of its events.

use remisd_game::{
    AlertCode, Claimed, Fact, Level, OfferEnd, RefusalCode, ResultReason, Role, Ruling, Score, Verb,
};
use remisd_laws::{Basis, ClaimKind, Finding, FlagCall, Remark, StopsClock, TimeChange};
use serde_json::Value;
use shakmaty::Color;

use super::{procedure::player, story::Story, table::QUIET};

impl Story<'_> {
    pub fn expect(&self, key: &str, value: &Value) {
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

    /// The opponent's clock gains this many seconds, and nothing else changes.
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
                assert_eq!(answer.code, Some(RefusalCode::WrongState), "{at}");
                let [claim] = game.claims() else {
                    panic!("{at}: {:?}", game.claims());
                };
                let events = self.case["events"].as_array().into_iter().flatten();
                let mut first = events.filter_map(|event| event.as_str()?.split_once(" writes "));
                let (_, first) = first.next().expect("a move that is written down");
                assert_eq!(claim.announced.as_ref().unwrap().san(), first, "{at}");
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
            ("result", _) => self.expect_result(text, at),
            ("offer", _) => self.expect_offer(text, at),
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
            ("needs", "arbiter consent") => self.expect_restriction(at),
            ("reason", "both players must have made at least one move (5.2.3)") => {
                let answer = self.accepted.as_ref().expect("an acceptance");
                assert_eq!(answer.code, Some(RefusalCode::NotAdmissible), "{at}");
                let message = answer.message.as_deref().unwrap();
                assert!(message.contains("5.2.3"), "{at}: {message}");
            }
            ("warn", "bringing the game into disrepute (12.1 / 11.1)") => {
                assert!(self.table.facts.contains(&Fact::AgreedWithoutPlay), "{at}");
                let mut open = game.alerts().open().iter();
                let alert = open.find(|alert| alert.code == AlertCode::AgreedWithoutPlay);
                let article = alert.expect(at).article.as_deref();
                assert_eq!(article, Some(game.edition().articles.disrepute), "{at}");
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
            ("action", "game continues") => self.expect_result("game resumed", at),
            ("move", _) => {
                let must = game.must_play().expect("a move that must be played");
                let san = text.split(' ').next().unwrap();
                assert!(must.announced.san().starts_with(san), "{at}: {must:?}");
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
                assert_eq!(
                    announced.map(remisd_game::AnnouncedMove::san),
                    Some("Qe2"),
                    "{at}"
                );
                let last = game.moves().last().unwrap();
                assert_ne!(last.text.san, "Qe2", "{at}: it was not made");
            }
            _ => panic!("{at}: what is \"{text}\"?"),
        }
    }

    fn expect_result(&self, text: &str, at: &str) {
        let score = self.table.score().map(Score::as_str);
        let wanted = match text {
            "win for the mating side" => Some("1-0"),
            "game resumed" => None,
            _ if text.starts_with("1/2-1/2 if ") => Some("1/2-1/2"),
            // No article made a claim an offer at that time, so there is nothing to accept.
            _ if text.starts_with("arbiter: 1997 has no article") => {
                let answer = self.accepted.as_ref().expect("an acceptance");
                assert_eq!(answer.code, Some(RefusalCode::WrongState), "{at}");
                None
            }
            score => Some(score),
        };
        assert_eq!(score, wanted, "{at}: {:?}", self.table.game.result());
    }

    fn expect_offer(&self, text: &str, at: &str) {
        let game = &self.table.game;
        if text == "rejected" {
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
        } else {
            assert!(matches!(text, "open" | "still open"), "{at}: {text}");
            assert!(game.standing_offer().is_some(), "{at}");
            assert_eq!(game.result(), None, "{at}");
        }
    }

    fn expect_restriction(&self, at: &str) {
        let game = &self.table.game;
        let offered = game.standing_offer().is_some_and(|offer| offer.restricted);
        assert!(offered || game.pending_agreement().is_some(), "{at}");
        let code = match game.pending_agreement() {
            Some(_) => AlertCode::AgreementRestricted,
            None => AlertCode::OfferRestricted,
        };
        assert!(self.alert(code).is_some(), "{at}");
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
            // The claim cannot be withdrawn.
            "must be adjudicated" => {
                assert!(self.open_to_the_end, "{at}");
                assert!(!self.withdrawn.as_ref().expect("a withdrawal").ok, "{at}");
            }
            "fails: claimant must have time left" => {
                let flagged = self.flagged.as_ref().expect("a flag");
                assert_eq!(flagged.code, Some(RefusalCode::NotAdmissible), "{at}");
                assert_eq!(self.table.score(), None, "{at}");
            }
            // A lifted piece is evidence of a touch but no proof of intent. The claim is never
            // granted automatically: the arbiter sees what was touched and rules on it.
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
                let red = |alert: &remisd_game::Alert| alert.level == Level::Red;
                assert!(game.alerts().open().iter().any(red), "{at}");
            }
            "shall call it" => {
                assert_eq!(game.regulations().flag_call(), FlagCall::Call, "{at}");
                assert_eq!(self.alert(AlertCode::FlagFall), Some(Level::Red), "{at}");
            }
            _ if text.starts_with("none") => {
                assert_eq!((game.ended(), game.result()), (None, None), "{at}");
                let red = |alert: &remisd_game::Alert| alert.level == Level::Red;
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

    /// An illegal announcement commits the player to that piece and is not an illegal move.
    fn another_move_with_the_piece(&self, at: &str) {
        let must = self.table.game.must_play().expect("an announcement");
        assert!(!must.legal, "{at}");
        let mut table = self.table.clone();
        table.play_san("Nf3");
        let broken = |fact: &Fact| matches!(fact, Fact::AnnouncedMoveNotPlayed(_));
        assert!(!table.facts.iter().any(broken), "{at}");
        assert_eq!(
            table.game.illegal_moves(),
            shakmaty::ByColor { white: 0, black: 0 },
            "{at}"
        );
        // If the announcement names the origin square, moving another piece is detected.
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
            Verb::Ruling(Ruling::Claim {
                correct: false,
                admissible: true,
            }),
        );
        table.play_san("Qe2");
        assert!(table.facts.iter().any(broken), "{at}");
    }
}
