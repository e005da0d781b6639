//! The editions of the FIDE Laws of Chess, one table each.
//!
//! To add an edition, add its table here and to [`EDITIONS`]; no other code depends on a year. Each
//! table is based on the edition it amends, so it lists only the changes. `provisional` lists the
//! parameters whose text was not available.

use super::{
    Articles, BothFlags, ByRate, ClaimantLoses, Claims, Edition, Fivefold, FlagCall,
    ForcedKingMove, IllegalMoves, IncorrectClaim, LostBy, Offers, Parameter, Quickplay,
    Restriction, StopsClock,
};

/// All known editions, oldest first.
pub static EDITIONS: &[&Edition] = &[
    &FIDE_1997, &FIDE_2001, &FIDE_2005, &FIDE_2009, &FIDE_2014, &FIDE_2017, &FIDE_2018, &FIDE_2023,
];

/// In force from 1 July 1997 (67th FIDE Congress, Yerevan 1996).
///
/// When both flags have fallen, play continues by 6.11. The text on the draw in the last
/// period (10.4) was not available; the event can set it.
///
/// 6.9 adds "by the most unskilled counterplay" to the test on flag fall. Every later edition means
/// the same without these words.
pub const FIDE_1997: Edition = Edition {
    id: "fide-1997",
    in_force_from: "1997-07-01",
    adopted: "67th FIDE Congress, Yerevan 1996",
    articles: Articles {
        checkmate: "5.1",
        resignation: "5.1",
        stalemate: "5.2",
        dead_position: "9.6",
        agreement: "5.2",
        offer: "9.1",
        restriction: "",
        offer_mark: "9.1",
        claim_is_offer: "",
        distraction: "12.5",
        disrepute: "12.1",
        threefold_intended: "9.2a",
        threefold_appeared: "9.2b",
        same_position: "9.2",
        fifty_intended: "9.3a",
        fifty_appeared: "9.3b",
        right_lost: "9.4",
        claim: "9.5",
        claim_correct: "9.5a",
        claim_incorrect: "9.5b",
        fivefold: "",
        seventy_five: "",
        flag_fall: "6.9",
        both_flags: "6.11",
        both_flags_last: "10.4",
        both_flags_unsupervised: "B8",
        illegal_move: "7.4",
        illegal_position: "",
        quickplay: "10.2",
        quickplay_increment: "",
        no_intervention: "13.6",
    },
    offers: Offers {
        refused_by_touch: false,
        claim_is_offer: false,
        restriction: Restriction::None,
        min_moves_each: 0,
    },
    claimable_occurrences: 3,
    claimable_halfmoves: 100,
    claims: Claims {
        lost_by: LostBy::Move,
        fifty_completed: false,
        clock: StopsClock::PlayerShall,
        distract: false,
    },
    forced_king_move: ForcedKingMove::Disputed,
    incorrect_claim: ByRate::all(IncorrectClaim {
        opponent_bonus_s: 180,
        claimant: ClaimantLoses::Half,
    }),
    fivefold: None,
    automatic_halfmoves: None,
    illegal_moves: ByRate {
        standard: RESTORE_ONLY,
        rapid: RESTORE_ONLY,
        blitz: OPPONENT_MAY_CLAIM_WIN,
    },
    supervised_illegal_moves: ByRate {
        standard: RESTORE_ONLY,
        rapid: RESTORE_ONLY,
        blitz: OPPONENT_MAY_CLAIM_WIN,
    },
    illegal_position_draws: false,
    flag_calls: CALLED_IN_STANDARD_ONLY,
    flag_claim_needs_time: true,
    both_flags: BothFlags {
        guideline: false,
        drawn_in_last_period: false,
        drawn_unsupervised: true,
    },
    resignation_needs_mate: false,
    quickplay: Quickplay {
        must_be_announced: false,
        with_increment: true,
        in_blitz: false,
        needs_the_move: false,
        below_ms: 120_000,
        may_reject: false,
        is_offer: false,
        opponent_bonus_s: 120,
        may_ask_for_increment: false,
    },
    provisional: &[
        Parameter::IncorrectClaimBonusRapid,
        Parameter::IncorrectClaimBonusBlitz,
        Parameter::IllegalMovesStandard,
        Parameter::IllegalMovesRapid,
        Parameter::IllegalMovesBlitz,
        Parameter::FlagCalls,
        Parameter::FlagClaimNeedsTime,
        Parameter::BothFlagsLastPeriod,
        Parameter::QuickplayNeedsTheMove,
        Parameter::QuickplayMayReject,
        Parameter::ArticleNumbers,
    ],
};

/// In force from 1 July 2001 (71st FIDE Congress, Istanbul 2000).
pub const FIDE_2001: Edition = Edition {
    id: "fide-2001",
    in_force_from: "2001-07-01",
    adopted: "71st FIDE Congress, Istanbul 2000",
    articles: Articles {
        offer: "9.1a",
        offer_mark: "9.1b",
        claim_is_offer: "9.1c",
        flag_fall: "6.10",
        ..FIDE_1997.articles
    },
    offers: Offers {
        refused_by_touch: true,
        claim_is_offer: true,
        ..FIDE_1997.offers
    },
    claims: Claims {
        distract: true,
        ..FIDE_1997.claims
    },
    incorrect_claim: ByRate::all(IncorrectClaim {
        opponent_bonus_s: 180,
        claimant: ClaimantLoses::HalfAboveTwoMinutes,
    }),
    illegal_moves: ByRate {
        standard: THIRD_LOSES,
        rapid: THIRD_LOSES,
        blitz: OPPONENT_MAY_CLAIM_WIN,
    },
    supervised_illegal_moves: ByRate {
        standard: THIRD_LOSES,
        rapid: THIRD_LOSES,
        blitz: OPPONENT_MAY_CLAIM_WIN,
    },
    quickplay: Quickplay {
        needs_the_move: true,
        may_reject: true,
        is_offer: true,
        ..FIDE_1997.quickplay
    },
    provisional: &[
        Parameter::IllegalMovesRapid,
        Parameter::IllegalMovesBlitz,
        Parameter::FlagCalls,
        Parameter::FlagClaimNeedsTime,
        Parameter::BothFlagsLastPeriod,
        Parameter::ArticleNumbers,
    ],
    ..FIDE_1997
};

/// In force from 1 July 2005 (75th FIDE Congress, Calvià 2004).
///
/// The text of 9.4 to 9.6 was not available. The penalties are those of 2001, because the first
/// text known to drop the deduction is that of 2009.
pub const FIDE_2005: Edition = Edition {
    id: "fide-2005",
    in_force_from: "2005-07-01",
    adopted: "75th FIDE Congress, Calvià 2004",
    articles: Articles {
        distraction: "12.6",
        ..FIDE_2001.articles
    },
    provisional: &[
        Parameter::IncorrectClaimBonusStandard,
        Parameter::IncorrectClaimBonusRapid,
        Parameter::IncorrectClaimBonusBlitz,
        Parameter::IncorrectClaimClaimant,
        Parameter::IllegalMovesStandard,
        Parameter::IllegalMovesRapid,
        Parameter::IllegalMovesBlitz,
        Parameter::FlagCalls,
        Parameter::FlagClaimNeedsTime,
        Parameter::BothFlagsLastPeriod,
        Parameter::ArticleNumbers,
    ],
    ..FIDE_2001
};

/// In force from 1 July 2009 (79th FIDE Congress, Dresden 2008).
pub const FIDE_2009: Edition = Edition {
    id: "fide-2009",
    in_force_from: "2009-07-01",
    adopted: "79th FIDE Congress, Dresden 2008",
    articles: Articles {
        offer: "9.1b1",
        restriction: "9.1a",
        offer_mark: "9.1b2",
        claim_is_offer: "9.1b3",
        flag_fall: "6.9",
        both_flags: "6.11a",
        both_flags_last: "6.11b",
        both_flags_unsupervised: "A.4.d.3",
        illegal_move: "7.4b",
        ..FIDE_2005.articles
    },
    offers: Offers {
        restriction: Restriction::Agree,
        ..FIDE_2005.offers
    },
    claims: Claims {
        lost_by: LostBy::Touch,
        clock: StopsClock::PlayerMay,
        ..FIDE_2005.claims
    },
    both_flags: BothFlags {
        drawn_in_last_period: true,
        ..FIDE_2005.both_flags
    },
    forced_king_move: ForcedKingMove::Different,
    incorrect_claim: ByRate::all(IncorrectClaim {
        opponent_bonus_s: 180,
        claimant: ClaimantLoses::Nothing,
    }),
    illegal_moves: ByRate {
        standard: IllegalMoves {
            draw_if_cannot_mate: true,
            ..THIRD_LOSES
        },
        rapid: IllegalMoves {
            draw_if_cannot_mate: true,
            on_claim: true,
            ..THIRD_LOSES
        },
        blitz: IllegalMoves {
            draw_if_cannot_mate: true,
            ..OPPONENT_MAY_CLAIM_WIN
        },
    },
    supervised_illegal_moves: ByRate::all(IllegalMoves {
        draw_if_cannot_mate: true,
        ..THIRD_LOSES
    }),
    provisional: &[],
    ..FIDE_2005
};

/// In force from 1 July 2014 (84th FIDE Congress, Tallinn 2013).
pub const FIDE_2014: Edition = Edition {
    id: "fide-2014",
    in_force_from: "2014-07-01",
    adopted: "84th FIDE Congress, Tallinn 2013",
    articles: Articles {
        dead_position: "9.7",
        distraction: "11.5",
        disrepute: "11.1",
        fivefold: "9.6a",
        seventy_five: "9.6b",
        both_flags: "G",
        both_flags_last: "G",
        both_flags_unsupervised: "",
        illegal_move: "7.5b",
        illegal_position: "A.4.d",
        quickplay: "G.5",
        quickplay_increment: "G.4",
        no_intervention: "12.6",
        ..FIDE_2009.articles
    },
    claims: Claims {
        fifty_completed: true,
        clock: StopsClock::PlayerOrArbiter,
        ..FIDE_2009.claims
    },
    incorrect_claim: ByRate {
        standard: OPPONENT_GAINS_TWO_MINUTES,
        rapid: OPPONENT_GAINS_TWO_MINUTES,
        blitz: OPPONENT_GAINS_ONE_MINUTE,
    },
    fivefold: Some(Fivefold::Consecutive {
        occurrences: 5,
        plies_apart: 4,
    }),
    automatic_halfmoves: Some(150),
    illegal_moves: ByRate {
        standard: SECOND_LOSES,
        rapid: FIRST_LOSES,
        blitz: FIRST_LOSES,
    },
    supervised_illegal_moves: ByRate {
        standard: SECOND_LOSES,
        rapid: SECOND_LOSES,
        blitz: IllegalMoves {
            opponent_bonus_s: 60,
            ..SECOND_LOSES
        },
    },
    illegal_position_draws: true,
    flag_calls: ByRate {
        standard: FlagCall::Call,
        rapid: FlagCall::MayCall,
        blitz: FlagCall::MayCall,
    },
    both_flags: BothFlags {
        guideline: true,
        drawn_unsupervised: false,
        ..FIDE_2009.both_flags
    },
    quickplay: Quickplay {
        must_be_announced: true,
        with_increment: false,
        is_offer: false,
        may_ask_for_increment: true,
        ..FIDE_2009.quickplay
    },
    provisional: &[
        Parameter::IncorrectClaimBonusBlitz,
        Parameter::IllegalMovesBlitz,
        Parameter::IllegalPositionDraws,
        Parameter::FlagClaimNeedsTime,
        Parameter::FlagCalls,
        Parameter::ArticleNumbers,
    ],
    ..FIDE_2009
};

/// In force from 1 July 2017 (87th FIDE Congress, Baku 2016; Presidential Board, Athens 2017).
pub const FIDE_2017: Edition = Edition {
    id: "fide-2017",
    in_force_from: "2017-07-01",
    adopted: "87th FIDE Congress, Baku 2016",
    articles: Articles {
        checkmate: "5.1.1",
        resignation: "5.1.2",
        stalemate: "5.2.1",
        dead_position: "5.2.2",
        agreement: "5.2.3",
        offer: "9.1.2.1",
        restriction: "9.1.1",
        offer_mark: "9.1.2.2",
        claim_is_offer: "9.1.2.3",
        threefold_intended: "9.2.1.1",
        threefold_appeared: "9.2.1.2",
        same_position: "9.2.2",
        fifty_intended: "9.3.1",
        fifty_appeared: "9.3.2",
        claim_correct: "9.5.1",
        claim_incorrect: "9.5.2",
        fivefold: "9.6.1",
        seventy_five: "9.6.2",
        both_flags: "III.3.1.1",
        both_flags_last: "III.3.1.2",
        illegal_move: "7.5.5",
        illegal_position: "A.4.4",
        quickplay: "III.5",
        quickplay_increment: "III.4",
        ..FIDE_2014.articles
    },
    offers: Offers {
        restriction: Restriction::OfferOrAgree,
        min_moves_each: 1,
        ..FIDE_2014.offers
    },
    fivefold: Some(Fivefold::AnySpacing { occurrences: 5 }),
    provisional: &[Parameter::ArticleNumbers],
    ..FIDE_2014
};

/// In force from 1 January 2018 (88th FIDE Congress, Goynuk 2017). Article 9 is that of July 2017;
/// illegal moves and flags in rapid and blitz differ.
pub const FIDE_2018: Edition = Edition {
    id: "fide-2018",
    in_force_from: "2018-01-01",
    adopted: "88th FIDE Congress, Goynuk 2017",
    illegal_moves: ByRate {
        standard: SECOND_LOSES,
        rapid: SECOND_LOSES,
        blitz: IllegalMoves {
            opponent_bonus_s: 60,
            ..SECOND_LOSES
        },
    },
    flag_calls: ByRate::all(FlagCall::Call),
    flag_claim_needs_time: false,
    ..FIDE_2017
};

/// In force since 1 January 2023 (93rd FIDE Congress, Chennai 2022).
pub const FIDE_2023: Edition = Edition {
    id: "fide-2023",
    in_force_from: "2023-01-01",
    adopted: "93rd FIDE Congress, Chennai 2022",
    articles: Articles {
        threefold_intended: "9.2.1",
        threefold_appeared: "9.2.2",
        same_position: "9.2.3",
        claim: "9.5.1",
        claim_correct: "9.5.2",
        claim_incorrect: "9.5.3",
        illegal_position: "A.5.4",
        ..FIDE_2018.articles
    },
    incorrect_claim: ByRate {
        standard: OPPONENT_GAINS_TWO_MINUTES,
        rapid: OPPONENT_GAINS_ONE_MINUTE,
        blitz: OPPONENT_GAINS_ONE_MINUTE,
    },
    illegal_moves: ONE_MINUTE_BELOW_STANDARD,
    supervised_illegal_moves: ONE_MINUTE_BELOW_STANDARD,
    resignation_needs_mate: true,
    provisional: &[],
    ..FIDE_2018
};

const OPPONENT_GAINS_TWO_MINUTES: IncorrectClaim = IncorrectClaim {
    opponent_bonus_s: 120,
    claimant: ClaimantLoses::Nothing,
};
const OPPONENT_GAINS_ONE_MINUTE: IncorrectClaim = IncorrectClaim {
    opponent_bonus_s: 60,
    claimant: ClaimantLoses::Nothing,
};
const CALLED_IN_STANDARD_ONLY: ByRate<FlagCall> = ByRate {
    standard: FlagCall::Call,
    rapid: FlagCall::Refrain,
    blitz: FlagCall::Refrain,
};
/// The position is restored without any penalty.
const RESTORE_ONLY: IllegalMoves = IllegalMoves {
    opponent_bonus_s: 0,
    loses_at: None,
    on_claim: false,
    draw_if_cannot_mate: false,
};
const OPPONENT_MAY_CLAIM_WIN: IllegalMoves = IllegalMoves {
    loses_at: Some(1),
    on_claim: true,
    ..RESTORE_ONLY
};
const THIRD_LOSES: IllegalMoves = IllegalMoves {
    opponent_bonus_s: 120,
    loses_at: Some(3),
    ..RESTORE_ONLY
};
const SECOND_LOSES: IllegalMoves = IllegalMoves {
    opponent_bonus_s: 120,
    loses_at: Some(2),
    on_claim: false,
    draw_if_cannot_mate: true,
};
const FIRST_LOSES: IllegalMoves = IllegalMoves {
    loses_at: Some(1),
    ..SECOND_LOSES
};
const ONE_MINUTE_BELOW_STANDARD: ByRate<IllegalMoves> = ByRate {
    standard: SECOND_LOSES,
    rapid: IllegalMoves {
        opponent_bonus_s: 60,
        ..SECOND_LOSES
    },
    blitz: IllegalMoves {
        opponent_bonus_s: 60,
        ..SECOND_LOSES
    },
};
