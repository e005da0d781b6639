//! Generates what may happen at a board: sensible or not, by any role.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};
use remisd_dead::Verdict;
use remisd_game::{
    AccountDifference, AccountKind, AccountReport, AccountStanding, AccountVersion, Cause, Claimed,
    ClockState, Command, Input, MismatchReason, Role, Rules, Ruling, Score, SeenSquare, SettledBy,
    Side, Sign, Unresolved, UnresolvedGame, UnresolvedKind, Verb,
};
use remisd_laws::{self as laws, AgreementRule, QuickplayDecision, Rate, Regulations, TimeChange};

use super::texts::fen_like;
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// The next step, chosen before the position is known.
#[derive(Debug, Clone)]
pub enum Step {
    /// The legal move with this number, modulo their count.
    Legal(usize),
    /// The last moved piece goes back to its origin, if that is legal.
    Back,
    /// The last move is revised to the legal move with this number.
    ReviseLegal(usize),
    /// The solver's verdict on the position, and how many plies ago the game became dead.
    Dead(Verdict, Option<u32>),
    /// The solver's answers for both sides.
    CanMate(Option<bool>, Option<bool>),
    /// Acknowledge the open alert with this number, modulo their count.
    AckOpen(usize),
    /// Choose the record or the other account, in the open alert with this number.
    ChooseOpen(usize, bool),
    /// The arbiter withdraws the result.
    PlayOn,
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
            laws: laws.map(Into::into),
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

/// Mostly small numbers, so that some of them fit.
fn plies() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0..20_u32, 1 => any::<u32>()]
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
        (plies(), vec(moves(), 0..3)).prop_map(|(to_ply, moves)| Verb::Correct { to_ply, moves }),
        (plies(), moves(), option::of(clocks())).prop_map(|(ply, text, clock)| Verb::Move {
            ply,
            text,
            clock
        }),
        plies().prop_map(|ply| Verb::Undo { ply }),
        (
            "accounts_differ-(pgn|board|livechess)[.][1-9][.][a-h][1-8][a-h][1-8]",
            any::<bool>(),
            option::of(plies())
        )
            .prop_map(|(alert, ours, dropped)| Verb::Choose {
                alert,
                version: version(ours),
                dropped,
            }),
        (select(vec![Side::White, Side::Black]), "[a-i][0-9]").prop_map(|(player, square)| {
            Verb::Touch {
                player,
                square: square.into(),
            }
        }),
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
        (side(), any::<bool>(), any::<bool>()).prop_map(|(player, claimed, withdrawn)| {
            Ruling::IllegalMove {
                player,
                claimed,
                withdrawn,
            }
        }),
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
        option::of((0..60_u64).prop_map(AudienceSeq::new)),
        verbs(),
    )
        .prop_map(|(id, role, by, if_seq, verb)| Command {
            id,
            role,
            by,
            if_seq,
            unsettled: None,
            verb,
        })
}

fn verdicts_of_the_solver() -> impl Strategy<Value = Input> {
    let since = option::of(0..40_u32);
    (0..40_u32, 0..40_u64, verdicts(), since).prop_map(|(ply, position, verdict, since)| {
        let position = EntrySeq::new(position);
        Input::Dead {
            ply,
            position,
            verdict,
            since,
            proofs: None,
        }
    })
}

fn merged_with_disk() -> impl Strategy<Value = Input> {
    (1..9_u64)
        .prop_map(EntrySeq::new)
        .prop_map(|game| Input::MergedWithDisk {
            left: Box::new(UnresolvedGame {
                game,
                undecided: vec![Unresolved {
                    game,
                    what: UnresolvedKind::Agreement,
                    by: None,
                    ply: 3,
                    score: None,
                    unsettled: None,
                    versions: None,
                }],
                ..UnresolvedGame::default()
            }),
        })
}

/// A move in UCI, or a text like one.
fn uci() -> impl Strategy<Value = String> {
    prop_oneof!["[a-h][1-8][a-h][1-8][qrbnk]?", "[a-zA-Z0-9@]{0,6}"]
}

fn mismatches() -> impl Strategy<Value = Input> {
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
            square: square.parse().unwrap(),
            expected,
            seen,
        });
    (
        reasons,
        vec(squares, 0..3),
        vec(vec(uci().prop_map(Into::into), 0..3), 0..3),
        0_u32..4,
    )
        .prop_map(|(reason, squares, candidates, doubted)| Input::Mismatch {
            reason,
            squares,
            candidates,
            doubted,
        })
}

/// Which version counts.
pub fn version(is_record: bool) -> AccountVersion {
    if is_record {
        AccountVersion::Record
    } else {
        AccountVersion::Account
    }
}

fn accounts() -> impl Strategy<Value = Input> {
    let results = select(vec![None, None, Some(Score::Draw), Some(Score::WhiteWins)]);
    let moves = vec(uci().prop_map(Into::into), 0..3);
    let kinds = select(vec![
        AccountKind::Pgn,
        AccountKind::Board,
        AccountKind::LiveChess,
    ]);
    let words = option::of("[A-Za-z0-9+#]{0,9}");
    let difference = (plies(), moves, words, results);
    (kinds, difference).prop_map(|(account, (from, moves, word, result))| Input::Account {
        report: Box::new(AccountReport {
            account,
            name: "games.pgn".to_owned(),
            standing: AccountStanding::Differs(AccountDifference {
                from,
                moves,
                word,
                result,
            }),
            lost: None,
        }),
    })
}

fn inputs() -> impl Strategy<Value = Input> {
    let by = || {
        select(vec![
            SettledBy::OpponentLifted,
            SettledBy::Reply,
            SettledBy::Clock,
            SettledBy::StoodStill,
            SettledBy::Answered,
            SettledBy::Assumed,
        ])
    };
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
                laws: laws.into(),
                rate,
                headers,
                cause
            }),
        (uci(), by(), option::of(clocks())).prop_map(|(uci, by, clock)| Input::Move {
            uci: uci.into(),
            by,
            clock
        }),
        (uci(), option::of(clocks())).prop_map(|(uci, clock)| Input::Revise {
            uci: uci.into(),
            clock
        }),
        mismatches(),
        uci().prop_map(|uci| Input::Unsettled { uci: uci.into() }),
        accounts(),
        Just(Input::Agreed),
        option::of(clocks()).prop_map(|clock| Input::Clock { clock }),
        (any::<bool>(), option::of("[a-z]{0,5}")).prop_map(|(up, reason)| Input::Link {
            up,
            code: None,
            reason,
        }),
        (
            select(vec![
                remisd_vocabulary::sensor::Orientation::Normal,
                remisd_vocabulary::sensor::Orientation::Rotated,
            ]),
            any::<bool>(),
        )
            .prop_map(|(orientation, clock_reversed)| Input::Orientation {
                orientation,
                clock_reversed,
            }),
        verdicts_of_the_solver(),
        (
            select(vec![Side::White, Side::Black]),
            "[a-h][1-8]",
            any::<bool>(),
        )
            .prop_map(|(by, square, sure)| Input::Touched {
                by,
                square: square.parse().unwrap(),
                sure,
            }),
        (
            select(vec![None, Some(Side::White), Some(Side::Black)]),
            select(vec![Sign::Kings, Sign::ResultPiece]),
        )
            .prop_map(|(winner, sign)| Input::ResultProposed { winner, sign }),
        vec(
            "[a-h][1-8]".prop_map(|square| square.parse().unwrap()),
            0..3
        )
        .prop_map(|squares| Input::Faulty { squares }),
        Just(Input::Overdue),
        merged_with_disk(),
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

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => any::<usize>().prop_map(Step::Legal),
        6 => Just(Step::Back),
        2 => any::<usize>().prop_map(Step::ReviseLegal),
        1 => (verdicts(), option::of(0..4_u32)).prop_map(|(verdict, ago)| Step::Dead(verdict, ago)),
        1 => (option::of(any::<bool>()), option::of(any::<bool>()))
            .prop_map(|(white, black)| Step::CanMate(white, black)),
        1 => any::<usize>().prop_map(Step::AckOpen),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(n, ours)| Step::ChooseOpen(n, ours)),
        1 => Just(Step::PlayOn),
        3 => inputs().prop_map(|input| Step::Any(Box::new(input))),
    ];
    vec(step, 0..90)
}
