//! Whatever comes in from outside, the pure parts go on: property tests over PGN text,
//! FENs and the inputs of a game.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use proptest::{collection::vec, option, prelude::*, sample::select};
use remisd::{
    dead::Verdict,
    game::{
        AlertCode, CanMate, Cause, Claimed, ClockState, Command, Confirm, Fact, Game, Input,
        Likeness, MismatchReason, Remembered, Role, Rules, Ruling, Score, SeenSquare, SettledBy,
        Side, Sign, Stamped, Verb,
    },
    laws::{
        self, AgreementRule, History, QuickplayDecision, Rate, Regulations, TimeChange,
        parse_position,
    },
    notation::fen,
    pgn::Games,
};
use shakmaty::{Position as _, uci::UciMove};

/// Text in which the signs of PGN are frequent.
fn pgn_like() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        select(vec![
            "[Event \"x\"]\n",
            "[FEN \"",
            "\"]\n",
            "1. ",
            "e4 ",
            "e5 ",
            "Nf3 ",
            "O-O ",
            "0-0-0 ",
            "{",
            "}",
            "(",
            ")",
            ";",
            "%",
            "\n",
            "[%clk 1:02:03.4]",
            "[%clk 99999999999999999:0]",
            "$1 ",
            "1-0 ",
            "* ",
            "1/2-1/2",
            "e8=Q+ ",
            "N@e4 ",
            "-- ",
            "e.p. ",
            "!? ",
            "\u{feff}",
        ])
        .prop_map(|word| word.as_bytes().to_vec()),
        vec(any::<u8>(), 0..8),
    ];
    vec(word, 0..120).prop_map(|words| words.concat())
}

/// Starting positions, good and bad.
fn fen_like() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec![
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 148 90",
            "4k3/8/8/8/8/8/8/4K2R w K - 4294967295 4294967295",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "k7/8/8/8/8/8/8/3KR2R w E - 0 1",
            "8/P6k/8/8/8/8/8/K7 w - - 99 1",
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
        ])
        .prop_map(str::to_owned),
        1 => select(vec!["", "8/8/8/8/8/8/8/8 w - - 0 1", "x"]).prop_map(str::to_owned),
        1 => "[rnbqkpRNBQKP1-8]{1,8}(/[rnbqkpRNBQKP1-8]{1,8}){7} [wb] [KQkqA-Ha-h-]{1,4} [a-h-][36]? [0-9]{1,11} [0-9]{1,11}",
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_to_their_end_as_pgn(
        bytes in prop_oneof![pgn_like(), vec(any::<u8>(), 0..2_000)]
    ) {
        let games: Vec<_> = Games::new(&bytes[..]).collect();
        let mut kept = 0;
        for game in &games {
            let game = game.as_ref().expect("memory can always be read");
            let tags = game.tags.iter().map(|(name, value)| name.len() + value.len());
            kept += game.moves.len() + tags.sum::<usize>();
            game.start().ok();
        }
        // A byte that is no UTF-8 becomes a character of three.
        prop_assert!(kept <= 3 * bytes.len() && games.len() <= bytes.len());
    }

    #[test]
    fn any_text_is_a_position_or_an_error_that_says_why(text in fen_like()) {
        match parse_position(&text) {
            Ok(position) => {
                let written = fen(&position);
                prop_assert_eq!(&fen(&parse_position(&written).unwrap()), &written);
                let state = History::new(position).draw_state(laws::newest());
                prop_assert_eq!(state.repetition.count(), 1);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// What happens next, chosen before the position is known.
#[derive(Debug, Clone)]
enum Step {
    /// The legal move with this number, counted round.
    Legal(usize),
    /// Back to where the mover's piece came from, if that is legal.
    Back,
    /// The last move was really the legal move with this number.
    ReviseLegal(usize),
    /// The solver's answer for the position on the board.
    Dead(Verdict),
    /// The solver's answers for both sides.
    CanMate(Option<bool>, Option<bool>),
    /// Acknowledge the open alert with this number, counted round.
    AckOpen(usize),
    /// Any input, sensible or not.
    Any(Box<Input>),
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    select(vec![Verdict::Alive, Verdict::Dead, Verdict::Unknown])
}

fn clocks() -> impl Strategy<Value = ClockState> {
    let side = || option::of(select(vec![Side::White, Side::Black]));
    (any::<u64>(), any::<u64>(), side(), side()).prop_map(|(white_ms, black_ms, running, flag)| {
        ClockState {
            white_ms,
            black_ms,
            running,
            flag,
        }
    })
}

fn headers() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = select(vec!["White", "Black", "Event", ""]).prop_map(str::to_owned);
    proptest::collection::btree_map(name, "[a-z]{0,3}", 0..3)
}

fn rates() -> impl Strategy<Value = Rate> {
    select(vec![Rate::Standard, Rate::Rapid, Rate::Blitz])
}

fn editions() -> impl Strategy<Value = String> {
    select(vec!["fide-2023", "fide-2014", "fide-1997", "fide-1066"]).prop_map(str::to_owned)
}

fn verbs() -> impl Strategy<Value = Verb> {
    let scores = select(vec![
        Score::WhiteWins,
        Score::BlackWins,
        Score::Draw,
        Score::BothLose,
        Score::None,
    ]);
    let new_game = (
        option::of(fen_like()),
        option::of(editions()),
        option::of(rates()),
        headers(),
    );
    prop_oneof![
        new_game.prop_map(|(start_fen, laws, rate, headers)| Verb::NewGame {
            start_fen,
            laws,
            rate,
            headers
        }),
        fen_like().prop_map(|fen| Verb::Setup { fen }),
        headers().prop_map(|headers| Verb::Headers { headers }),
        scores.prop_map(|score| Verb::Result { score, game: None }),
        "[a-z_]{0,9}-[0-9]".prop_map(|alert| Verb::Ack { alert }),
        at_the_board(),
        at_the_board(),
        rulings().prop_map(Verb::Ruling),
    ]
}

fn player() -> impl Strategy<Value = Option<Side>> {
    option::of(select(vec![Side::White, Side::Black]))
}

fn at_the_board() -> impl Strategy<Value = Verb> {
    let kinds = select(vec![
        Claimed::Threefold,
        Claimed::FiftyMove,
        Claimed::Quickplay,
        Claimed::Increment,
    ]);
    let moves = || prop_oneof!["[a-h][1-8][a-h][1-8]", "[NBRQK]?[a-h][1-8]", "[ -~]{0,5}"];
    let adjusted = option::of("adjustment-[0-9]{1,2}");
    prop_oneof![
        (player(), option::of("[a-z ]{0,9}"))
            .prop_map(|(player, condition)| Verb::Offer { player, condition }),
        player().prop_map(|player| Verb::Accept { player }),
        player().prop_map(|player| Verb::Decline { player }),
        (player(), kinds, option::of(moves()), any::<bool>()).prop_map(
            |(player, kind, announced, written)| Verb::Claim {
                player,
                kind,
                announced,
                written
            }
        ),
        player().prop_map(|player| Verb::Resign { player }),
        (0..20_u32, vec(moves(), 0..3)).prop_map(|(to_ply, moves)| Verb::Correct { to_ply, moves }),
        (select(vec![Side::White, Side::Black]), "[a-i][0-9]")
            .prop_map(|(player, square)| Verb::Touch { player, square }),
        player().prop_map(|player| Verb::Adjust { player }),
        Just(Verb::Pause {}),
        player().prop_map(|running| Verb::Resume { running }),
        (clocks(), adjusted).prop_map(|(clock, adjusted)| Verb::ClockState { clock, adjusted }),
    ]
}

fn rulings() -> impl Strategy<Value = Ruling> {
    let side = || select(vec![Side::White, Side::Black]);
    let decisions = select(vec![
        QuickplayDecision::Draw,
        QuickplayDecision::Postpone,
        QuickplayDecision::Reject,
        QuickplayDecision::Increment,
    ]);
    let change = || {
        prop_oneof![
            Just(TimeChange::None),
            Just(TimeChange::Unknown),
            any::<i64>().prop_map(TimeChange::AddMs),
            any::<u64>().prop_map(TimeChange::SetMs),
        ]
    };
    prop_oneof![
        any::<[bool; 2]>().prop_map(|[correct, admissible]| Ruling::Claim {
            correct,
            admissible
        }),
        any::<bool>().prop_map(|consent| Ruling::Agreement { consent }),
        (decisions, any::<bool>(), player()).prop_map(|(decision, bonus, player)| {
            Ruling::Quickplay {
                decision,
                bonus,
                player,
            }
        }),
        (side(), any::<bool>())
            .prop_map(|(player, claimed)| Ruling::IllegalMove { player, claimed }),
        Just(Ruling::IllegalPosition {}),
        side().prop_map(|player| Ruling::Flag { player }),
        any::<bool>().prop_map(|last_period| Ruling::BothFlags { last_period }),
        (change(), change()).prop_map(|(white, black)| Ruling::Clock { white, black }),
    ]
}

fn regulations() -> impl Strategy<Value = Regulations> {
    let agreement = select(vec![
        AgreementRule::Free,
        AgreementRule::NotBefore(3),
        AgreementRule::Never,
    ]);
    let editions = select(laws::EDITIONS.to_vec());
    (editions, rates(), any::<[bool; 3]>(), agreement).prop_map(
        |(edition, rate, [supervised, announced, increment], agreement)| Regulations {
            supervised,
            quickplay_announced: announced,
            increment,
            agreement,
            ..Regulations::new(edition, rate)
        },
    )
}

fn commands() -> impl Strategy<Value = Command> {
    let roles = select(Role::ALL.to_vec());
    let names = option::of("[a-z]{0,4}");
    (
        "[a-z0-9]{0,3}",
        roles,
        names,
        option::of(0..60_u64),
        verbs(),
    )
        .prop_map(|(id, role, by, if_seq, verb)| Command {
            id,
            role,
            by,
            if_seq,
            verb,
        })
}

fn inputs() -> impl Strategy<Value = Input> {
    let by = || {
        select(vec![
            SettledBy::OpponentLifted,
            SettledBy::Reply,
            SettledBy::Clock,
            SettledBy::StoodStill,
            SettledBy::Assumed,
        ])
    };
    let uci = || prop_oneof!["[a-h][1-8][a-h][1-8][qrbnk]?", "[a-zA-Z0-9@]{0,6}"];
    let reasons = select(vec![
        MismatchReason::NoLegalMove,
        MismatchReason::PawnNotPromoted,
        MismatchReason::PieceMissing,
        MismatchReason::Ambiguous,
    ]);
    let squares = (
        "[a-h][1-8]",
        option::of(any::<char>()),
        option::of(any::<char>()),
    )
        .prop_map(|(square, expected, seen)| SeenSquare {
            square,
            expected,
            seen,
        });
    let causes = select(vec![Cause::Startup, Cause::StartArray]);
    prop_oneof![
        (
            option::of(fen_like()),
            editions(),
            rates(),
            headers(),
            causes
        )
            .prop_map(|(start_fen, laws, rate, headers, cause)| Input::NewGame {
                start_fen,
                laws,
                rate,
                headers,
                cause
            }),
        (uci(), by(), option::of(clocks())).prop_map(|(uci, by, clock)| Input::Move {
            uci,
            by,
            clock
        }),
        (uci(), option::of(clocks())).prop_map(|(uci, clock)| Input::Revise { uci, clock }),
        (reasons, vec(squares, 0..3), vec(vec(uci(), 0..3), 0..3)).prop_map(
            |(reason, squares, candidates)| Input::Mismatch {
                reason,
                squares,
                candidates
            }
        ),
        Just(Input::Agreed),
        option::of(clocks()).prop_map(|clock| Input::Clock { clock }),
        (any::<bool>(), option::of("[a-z]{0,5}")).prop_map(|(up, reason)| Input::Link {
            up,
            code: None,
            reason,
        }),
        select(vec![
            remisd::board::event::Orientation::Normal,
            remisd::board::event::Orientation::Rotated,
        ])
        .prop_map(|orientation| Input::Orientation { orientation }),
        (0..40_u32, 0..40_u64, verdicts()).prop_map(|(ply, position, verdict)| Input::Dead {
            ply,
            position,
            verdict
        }),
        (
            select(vec![Side::White, Side::Black]),
            "[a-h][1-8]",
            any::<bool>(),
        )
            .prop_map(|(by, square, sure)| Input::Touched { by, square, sure }),
        (
            select(vec![None, Some(Side::White), Some(Side::Black)]),
            select(vec![Sign::Kings, Sign::ResultPiece]),
        )
            .prop_map(|(winner, sign)| Input::ResultProposed { winner, sign }),
        vec("[a-h][1-8]", 0..3).prop_map(|squares| Input::Faulty { squares }),
        Just(Input::Overdue),
        regulations().prop_map(|regulations| Input::Start {
            version: "0".to_owned(),
            rules: Some(Box::new(Rules {
                regulations,
                ..Rules::default()
            })),
        }),
        commands().prop_map(Input::Command),
        commands().prop_map(Input::Command),
        commands().prop_map(Input::Command),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => any::<usize>().prop_map(Step::Legal),
        6 => Just(Step::Back),
        2 => any::<usize>().prop_map(Step::ReviseLegal),
        1 => verdicts().prop_map(Step::Dead),
        1 => (option::of(any::<bool>()), option::of(any::<bool>()))
            .prop_map(|(white, black)| Step::CanMate(white, black)),
        1 => any::<usize>().prop_map(Step::AckOpen),
        3 => inputs().prop_map(|input| Step::Any(Box::new(input))),
    ];
    vec(step, 0..90)
}

/// The input that a step is at this point of the game.
fn input(step: &Step, game: &Game) -> Option<Input> {
    let by = SettledBy::StoodStill;
    let standard = |m: &shakmaty::Move| m.to_uci(game.position().castles().mode()).to_string();
    Some(match step {
        Step::Legal(n) => {
            let legal = game.position().legal_moves();
            let m = legal.get(n % legal.len().max(1))?;
            let uci = standard(m);
            Input::Move {
                uci,
                by,
                clock: None,
            }
        }
        Step::Back => {
            let own = &game.moves().iter().rev().nth(1)?.text.uci;
            let uci = format!("{}{}", own.get(2..4)?, own.get(..2)?);
            Input::Move {
                uci,
                by,
                clock: None,
            }
        }
        Step::ReviseLegal(n) => {
            let before = replayed(game, game.moves().len().checked_sub(1)?);
            let legal = before.position().legal_moves();
            let uci = standard(legal.get(n % legal.len().max(1))?);
            Input::Revise { uci, clock: None }
        }
        Step::Dead(verdict) => Input::Dead {
            ply: game.ply(),
            position: game.position_seq(),
            verdict: *verdict,
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
            Input::Command(Command {
                id: format!("ack-{n}"),
                role: Role::Arbiter,
                by: None,
                if_seq: Some(game.seq()),
                verb: Verb::Ack { alert },
            })
        }
        Step::Any(input) => (**input).clone(),
    })
}

/// The game's own list of moves, played again from its start.
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

/// The newest segment of the journal: entries from where a game began.
#[derive(Default)]
struct Segment(Vec<(u64, serde_json::Value)>);

impl Segment {
    fn write(&mut self, game: &Game, seq: u64, time: Timestamp, input: &Input, facts: &[Fact]) {
        let begins = |fact: &Fact| matches!(fact, Fact::GameStarted { .. });
        let carried = facts.iter().any(begins).then(|| game.carried());
        if carried.is_some() {
            self.0.clear();
        } else if self.0.is_empty() {
            return;
        }
        let entry = serde_json::json!({
            "time": time, "input": input, "carried": carried, "facts": facts,
        });
        self.0.push((seq, entry));
    }

    /// A restart reads it, and knows all that was known.
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

/// What must hold after every input.
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
        assert!(
            game.ended().is_some() || game.overruled() == Some(end.kind),
            "an end that stands on the board is known"
        );
    }
    assert_eq!(game.status().result(), game.result());
    if game.ended().is_some() {
        assert!(game.result().is_some(), "an end is a result");
    }
    if game.result().is_some() {
        assert!(game.open_claim().is_none() && game.standing_offer().is_none());
    }
    assert!(game.touched().len() <= 16 && game.adjustments().len() <= 16);
    assert!(game.claims().len() <= 256 && game.left_undecided().len() <= 16);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1_500)
    })]

    #[test]
    fn any_sequence_of_inputs_leaves_a_sound_game(steps in steps(), at_once in any::<bool>()) {
        let confirm = if at_once { Confirm::Automatic } else { Confirm::Arbiter };
        let rules = Rules { confirm, ..Rules::default() };
        let (mut game, mut again) = (Game::new(rules.clone()), Game::new(rules.clone()));
        let mut segment = Segment::default();
        let mut seq = 0;
        for step in &steps {
            let Some(input) = input(step, &game) else { continue };
            seq += 1;
            let time = Timestamp::from_second(i64::try_from(seq).unwrap()).unwrap();
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
