//! A game with arbitrary inputs: it stays consistent, and a restart restores it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use proptest::prelude::*;
use remisd_game::{
    AlertCode, CanMate, ClaimRecord, Claimed, Command, Confirm, Fact, Game, Input, Judgement,
    Likeness, Remembered, Role, Rules, Score, SettledBy, Stamped, Verb,
};
use remisd_laws::History;
use shakmaty::{Position as _, uci::UciMove};

use super::generators::{Step, steps, version};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// The input that a step stands for at this point of the game.
fn input(step: &Step, game: &Game) -> Option<Input> {
    let by = SettledBy::StoodStill;
    let standard = |m: &shakmaty::Move| m.to_uci(game.position().castles().mode()).to_string();
    Some(match step {
        Step::Legal(n) => {
            let legal = game.position().legal_moves();
            let m = legal.get(n % legal.len().max(1))?;
            let uci = standard(m);
            Input::Move {
                uci: uci.into(),
                by,
                clock: None,
            }
        }
        Step::Back => {
            let own = &game.moves().iter().rev().nth(1)?.text.uci;
            let uci = format!("{}{}", own.get(2..4)?, own.get(..2)?);
            Input::Move {
                uci: uci.into(),
                by,
                clock: None,
            }
        }
        Step::ReviseLegal(n) => {
            let before = replayed(game, game.moves().len().checked_sub(1)?);
            let legal = before.position().legal_moves();
            let uci = standard(legal.get(n % legal.len().max(1))?);
            Input::Revise {
                uci: uci.into(),
                clock: None,
            }
        }
        Step::Dead(verdict, ago) => Input::Dead {
            ply: game.ply(),
            position: game.position_seq(),
            verdict: *verdict,
            since: ago.map(|ago| game.ply().saturating_sub(ago)),
            proofs: None,
        },
        Step::CanMate(white, black) => Input::Winnability {
            ply: game.ply(),
            position: game.position_seq(),
            can_mate: CanMate {
                white: *white,
                black: *black,
            },
        },
        Step::AckOpen(n) => {
            let open = game.alerts().open();
            let alert = open.get(n % open.len().max(1))?.id.clone();
            arbiters(game, &format!("ack-{n}"), Verb::Ack { alert })
        }
        Step::ChooseOpen(n, ours) => {
            let open = game.alerts().open().iter();
            let differ = open.filter(|alert| alert.code == AlertCode::AccountsDiffer);
            let differ: Vec<_> = differ.collect();
            let alert = differ.get(n % differ.len().max(1))?;
            let dropped = alert.arguments["dropped"].as_u64();
            let choice = Verb::Choose {
                alert: alert.id.clone(),
                version: version(*ours),
                dropped: dropped.and_then(|dropped| dropped.try_into().ok()),
            };
            arbiters(game, &format!("choose-{n}"), choice)
        }
        Step::PlayOn => arbiters(
            game,
            "play-on",
            Verb::Result {
                score: Score::None,
                game: None,
            },
        ),
        Step::Any(input) => (**input).clone(),
    })
}

/// A command of the arbiter, who has seen everything.
fn arbiters(game: &Game, id: &str, verb: Verb) -> Input {
    Input::Command(Command {
        id: id.to_owned(),
        role: Role::Arbiter,
        by: None,
        if_seq: Some(AudienceSeq::of_entry(game.seq())),
        unsettled: None,
        verb,
    })
}

/// The game's own list of moves, replayed from its start.
fn replayed(game: &Game, moves: usize) -> History {
    let mut history = History::new(game.start().clone());
    for played in &game.moves()[..moves] {
        let uci: UciMove = played.text.uci.parse().unwrap();
        let m = uci.to_move(history.position()).expect("a legal move");
        history.play(m).expect("a legal move");
    }
    history
}

fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// The newest segment of the journal: the entries since the start of a game.
#[derive(Default)]
struct Segment(Vec<(EntrySeq, serde_json::Value)>);

impl Segment {
    fn write(
        &mut self,
        game: &Game,
        seq: EntrySeq,
        time: Timestamp,
        input: &Input,
        facts: &[Fact],
    ) {
        let begins = |fact: &Fact| matches!(fact, Fact::GameStarted { .. });
        let carried = facts.iter().any(begins).then(|| game.carried());
        if carried.is_some() {
            self.0.clear();
        } else if self.0.is_empty() {
            return;
        }
        let entry = serde_json::json!({
            "judgement": Judgement::CURRENT, "time": time, "input": input,
            "carried": carried, "numbers": game.numbers(),
            "facts": facts,
        });
        self.0.push((seq, entry));
    }

    /// Checks that a restart from it restores all state.
    fn gives_back(&self, game: &Game) {
        let mut again = Game::new(Rules::default());
        for (seq, entry) in &self.0 {
            let entry: Remembered = serde_json::from_value(entry.clone()).unwrap();
            let likeness = again.replay(*seq, &entry).likeness;
            let begins = entry.carried.is_some() && likeness == Likeness::Essence;
            assert!(begins || likeness == Likeness::Same, "{seq}: {entry:#?}");
        }
        if !self.0.is_empty() {
            assert_eq!(format!("{game:#?}"), format!("{again:#?}"));
        }
    }
}

/// The invariants after every input.
fn is_sound(game: &Game) {
    let history = replayed(game, game.moves().len());
    assert_eq!(history.position(), game.position());
    assert_eq!(history.ply(), game.ply());
    assert_eq!(&history.draw_state(game.edition()), game.draw());
    let open = game.alerts().open();
    let about: BTreeSet<(&str, &str)> = open
        .iter()
        .map(|alert| (alert.code.as_str(), alert.subject.as_str()))
        .collect();
    assert_eq!(about.len(), open.len(), "one alert for each condition");
    let says_over = game.alerts().open().iter().any(|alert| {
        matches!(
            alert.code,
            AlertCode::Fivefold
                | AlertCode::SeventyFiveMove
                | AlertCode::DeadPosition
                | AlertCode::GameOver
        )
    });
    assert_eq!(says_over, game.ended().is_some());
    if let Some((ply, _)) = game.ended() {
        assert!(ply <= game.ply());
    }
    if let Some(end) = game.draw().automatic {
        let overruled = game.overruled() == Some(end.kind);
        let granted = |claim: &ClaimRecord| {
            let correct = claim.ruling.as_ref().is_some_and(|ruling| ruling.correct);
            claim.kind != Claimed::Increment && correct
        };
        // A granted claim drew the game earlier.
        let drawn = game.result().is_some() && game.claims().iter().any(granted);
        assert!(
            game.ended().is_some() || overruled || drawn,
            "an end that stands on the board is known"
        );
        let stands =
            (game.ended()).is_some_and(|(ply, it)| ply == game.ply() && it.kind == end.kind);
        assert!(!(stands && overruled), "it stands or is overruled");
    }
    assert_eq!(game.status().result(), game.result());
    if game.ended().is_some() {
        assert!(game.result().is_some(), "an end is a result");
    }
    if let Some(result) = game.result() {
        assert!(game.standing_offer().is_none());
        // A claim takes precedence over a later end by the Laws. That end is not confirmed before
        // the claim is ruled on.
        if game.open_claim().is_some() {
            assert!(game.ended().is_some() && !result.confirmed);
        }
    }
    assert!(game.touched().len() <= 16 && game.adjustments().len() <= 16);
    assert!(game.claims().len() <= 256 && game.unresolved_matters().len() <= 16);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1_500)
    })]

    #[test]
    fn any_sequence_of_inputs_leaves_a_sound_game(steps in steps(), confirms in any::<bool>()) {
        let confirm = if confirms { Confirm::Automatic } else { Confirm::Arbiter };
        let rules = Rules { confirm, ..Rules::default() };
        let (mut game, mut again) = (Game::new(rules.clone()), Game::new(rules.clone()));
        let mut segment = Segment::default();
        let mut seq = EntrySeq::ZERO;
        for step in &steps {
            let Some(input) = input(step, &game) else { continue };
            seq = seq.next();
            let time = Timestamp::from_second(i64::try_from(seq.get()).unwrap()).unwrap();
            let stamped = Stamped { seq, time, input };
            let before = game.ended();
            let facts = game.apply(&stamped);

            let journalled = round_trip(&stamped.input);
            prop_assert_eq!(&journalled, &stamped.input);
            let same = Stamped { input: journalled.clone(), ..stamped };
            prop_assert_eq!(&again.apply(&same), &facts);
            for fact in &facts {
                prop_assert_eq!(&round_trip(fact), fact);
            }
            segment.write(&game, seq, time, &journalled, &facts);
            let may_change = facts.iter().any(|fact| matches!(
                fact,
                Fact::EndRetracted { .. } | Fact::GameStarted { .. } | Fact::PositionSet { .. }
                    | Fact::Corrected { .. }
            ));
            if before.is_some() && !may_change {
                prop_assert_eq!(game.ended(), before, "an end stays");
            }
            is_sound(&game);
        }
        segment.gives_back(&game);
    }
}
