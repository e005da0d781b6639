//! The tables of `protocol/laws.md`: the parameters and articles of all editions, side by side.

use std::fmt::Display;

use serde::Serialize;

use super::tables::markdown;
use remisd_laws::{
    Articles, BothFlags, ByRate, ClaimantLoses, Claims, EDITIONS, Edition, Fivefold,
    ForcedKingMove, IllegalMoves, IncorrectClaim, Offers, Parameter, Quickplay, Restriction,
};

/// The names of the tables in the page.
pub const LAWS_TABLES: [&str; 2] = ["parameters", "articles"];

/// A field of an edition with its value in words.
struct Row {
    /// The path of the field in [`Edition`], such as `claims.lost_by`.
    field: String,
    value: String,
    /// The parameter under which an edition may list the field as provisional.
    parameter: Option<Parameter>,
}

/// Generates a table in Markdown, with one column per edition; empty if there is no table of this
/// name.
#[must_use]
pub fn laws_table(name: &str) -> String {
    match name {
        "parameters" => side_by_side(parameters),
        "articles" => side_by_side(articles),
        _ => String::new(),
    }
}

/// Every field of an edition by its path, as the page may name it.
#[must_use]
pub fn edition_fields() -> Vec<String> {
    let newest = remisd_laws::newest();
    let rows = parameters(newest).into_iter();
    let rows = rows.chain(articles(newest));
    rows.map(|row| row.field).collect()
}

fn side_by_side(rows: impl Fn(&'static Edition) -> Vec<Row>) -> String {
    let columns: Vec<Vec<Row>> = EDITIONS.iter().map(|edition| rows(edition)).collect();
    let ids = EDITIONS.iter().map(|edition| format!("`{}`", edition.id));
    let head: Vec<String> = std::iter::once("field".to_owned()).chain(ids).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let fields = columns[0].iter().enumerate();
    let lines = fields.map(|(at, row)| {
        let cells = EDITIONS.iter().zip(&columns).map(|(edition, column)| {
            let row = &column[at];
            let uncertain = row.parameter.filter(|p| edition.provisional.contains(p));
            match uncertain {
                Some(parameter) => format!("{} *{}*", row.value, keys(parameter).join(", ")),
                None => row.value.clone(),
            }
        });
        let name = format!("`{}`", row.field);
        std::iter::once(name).chain(cells).collect()
    });
    markdown(&head, lines)
}

/// The keys of `[laws.provisional]` that set a parameter. Empty where only the official text would
/// settle it.
pub(super) const fn keys(parameter: Parameter) -> &'static [&'static str] {
    use Parameter as P;
    match parameter {
        P::IncorrectClaimBonusStandard
        | P::IncorrectClaimBonusRapid
        | P::IncorrectClaimBonusBlitz => &["incorrect_claim_bonus_s"],
        P::IncorrectClaimClaimant => &["incorrect_claim_claimant"],
        P::IllegalMovesStandard | P::IllegalMovesRapid | P::IllegalMovesBlitz => {
            &["illegal_move_bonus_s", "illegal_moves_lose_at"]
        }
        P::FlagCalls => &["flag_call"],
        P::QuickplayNeedsTheMove => &["quickplay_needs_the_move"],
        P::QuickplayMayReject => &["quickplay_may_reject"],
        P::IllegalPositionDraws => &["illegal_position_draws"],
        P::FlagClaimNeedsTime => &["flag_claim_needs_time"],
        P::BothFlagsLastPeriod => &["both_flags_drawn_in_last_period"],
        P::ArticleNumbers => &[],
    }
}

fn row<T: Display>(field: &str, value: T) -> Row {
    Row {
        field: field.to_owned(),
        value: value.to_string(),
        parameter: None,
    }
}

/// A row for a parameter that an event may set while the official text is not available.
fn open(field: &str, value: impl Display, parameter: Parameter) -> Row {
    Row {
        parameter: Some(parameter),
        ..row(field, value)
    }
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// A value by its word in the configuration.
fn word<T: Serialize>(value: T) -> String {
    let word = serde_json::to_value(value).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

fn time(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Destructured without `..`, so that a new field cannot be forgotten here.
fn parameters(edition: &Edition) -> Vec<Row> {
    let Edition {
        id: _,
        in_force_from,
        adopted,
        articles: _,
        offers,
        claimable_occurrences,
        claimable_halfmoves,
        claims,
        forced_king_move,
        incorrect_claim,
        fivefold,
        automatic_halfmoves,
        illegal_moves,
        supervised_illegal_moves,
        illegal_position_draws,
        flag_calls,
        flag_claim_needs_time,
        both_flags,
        resignation_needs_mate,
        quickplay,
        provisional: _,
    } = edition;
    let mut rows = vec![row("in_force_from", in_force_from), row("adopted", adopted)];
    rows.extend(of_offers(*offers));
    rows.push(row("claimable_occurrences", claimable_occurrences));
    rows.push(row("claimable_halfmoves", claimable_halfmoves));
    rows.extend(of_claims(*claims));
    let disputed = match forced_king_move {
        ForcedKingMove::Different => "different",
        ForcedKingMove::Disputed => "the arbiter decides",
    };
    rows.push(row("forced_king_move", disputed));
    rows.extend(of_incorrect_claims(*incorrect_claim));
    rows.push(row(
        "fivefold",
        fivefold.map_or("–".to_owned(), of_fivefold),
    ));
    let halfmoves = automatic_halfmoves.map_or("–".to_owned(), |n| n.to_string());
    rows.push(row("automatic_halfmoves", halfmoves));
    rows.extend(of_illegal_moves("illegal_moves", *illegal_moves));
    rows.extend(of_illegal_moves(
        "supervised_illegal_moves",
        *supervised_illegal_moves,
    ));
    rows.extend([
        open(
            "illegal_position_draws",
            yes(*illegal_position_draws),
            Parameter::IllegalPositionDraws,
        ),
        row("flag_calls.standard", word(flag_calls.standard)),
        open(
            "flag_calls.rapid",
            word(flag_calls.rapid),
            Parameter::FlagCalls,
        ),
        open(
            "flag_calls.blitz",
            word(flag_calls.blitz),
            Parameter::FlagCalls,
        ),
        open(
            "flag_claim_needs_time",
            yes(*flag_claim_needs_time),
            Parameter::FlagClaimNeedsTime,
        ),
    ]);
    rows.extend(of_both_flags(*both_flags));
    rows.push(row("resignation_needs_mate", yes(*resignation_needs_mate)));
    rows.extend(of_quickplay(*quickplay));
    rows
}

fn of_both_flags(both: BothFlags) -> [Row; 3] {
    let BothFlags {
        guideline,
        drawn_in_last_period,
        drawn_unsupervised,
    } = both;
    [
        row("both_flags.guideline", yes(guideline)),
        open(
            "both_flags.drawn_in_last_period",
            yes(drawn_in_last_period),
            Parameter::BothFlagsLastPeriod,
        ),
        row("both_flags.drawn_unsupervised", yes(drawn_unsupervised)),
    ]
}

fn of_offers(offers: Offers) -> [Row; 4] {
    let Offers {
        refused_by_touch,
        claim_is_offer,
        restriction,
        min_moves_each,
    } = offers;
    let restriction = match restriction {
        Restriction::None => "nothing",
        Restriction::Agree => "to agree",
        Restriction::OfferOrAgree => "to offer or agree",
    };
    [
        row("offers.refused_by_touch", yes(refused_by_touch)),
        row("offers.claim_is_offer", yes(claim_is_offer)),
        row("offers.restriction", restriction),
        row("offers.min_moves_each", min_moves_each),
    ]
}

fn of_claims(claims: Claims) -> [Row; 4] {
    let Claims {
        lost_by,
        fifty_completed,
        clock,
        distract,
    } = claims;
    [
        row("claims.lost_by", word(lost_by)),
        row("claims.fifty_completed", yes(fifty_completed)),
        row("claims.clock", word(clock)),
        row("claims.distract", yes(distract)),
    ]
}

fn of_incorrect_claims(cost: ByRate<IncorrectClaim>) -> Vec<Row> {
    let rates = [
        (
            "standard",
            cost.standard,
            Parameter::IncorrectClaimBonusStandard,
        ),
        ("rapid", cost.rapid, Parameter::IncorrectClaimBonusRapid),
        ("blitz", cost.blitz, Parameter::IncorrectClaimBonusBlitz),
    ];
    let rows = rates.into_iter().flat_map(|(rate, cost, parameter)| {
        let IncorrectClaim {
            opponent_bonus_s,
            claimant,
        } = cost;
        let claimant = match claimant {
            ClaimantLoses::Nothing => "nothing",
            ClaimantLoses::Half => "half, at most 3:00",
            ClaimantLoses::HalfAboveTwoMinutes => {
                "above 2:00 half, at most 3:00; above 1:00 down to 1:00"
            }
        };
        let name = |field| format!("incorrect_claim.{rate}.{field}");
        [
            open(
                &name("opponent_bonus_s"),
                format!("+{}", time(opponent_bonus_s.into())),
                parameter,
            ),
            open(
                &name("claimant"),
                claimant,
                Parameter::IncorrectClaimClaimant,
            ),
        ]
    });
    rows.collect()
}

fn of_fivefold(rule: Fivefold) -> String {
    match rule {
        Fivefold::AnySpacing { occurrences } => format!("{occurrences} occurrences"),
        Fivefold::Consecutive {
            occurrences,
            plies_apart,
        } => format!("{occurrences} occurrences, {plies_apart} plies apart"),
    }
}

fn of_illegal_moves(field: &str, cost: ByRate<IllegalMoves>) -> [Row; 3] {
    let text = |cost: IllegalMoves| {
        let IllegalMoves {
            opponent_bonus_s,
            loses_at,
            on_claim,
            draw_if_cannot_mate,
        } = cost;
        let mut parts = Vec::new();
        if opponent_bonus_s > 0 && loses_at != Some(1) {
            parts.push(format!("+{}", time(opponent_bonus_s.into())));
        }
        match loses_at {
            Some(1) => parts.push("the first loses".to_owned()),
            Some(2) => parts.push("the second loses".to_owned()),
            Some(nth) => parts.push(format!("number {nth} loses")),
            None => parts.push("restored, no more".to_owned()),
        }
        if on_claim {
            parts.push("on the opponent’s claim".to_owned());
        }
        if draw_if_cannot_mate {
            parts.push("a draw if the opponent cannot mate".to_owned());
        }
        parts.join("; ")
    };
    let name = |rate| format!("{field}.{rate}");
    [
        open(
            &name("standard"),
            text(cost.standard),
            Parameter::IllegalMovesStandard,
        ),
        open(
            &name("rapid"),
            text(cost.rapid),
            Parameter::IllegalMovesRapid,
        ),
        open(
            &name("blitz"),
            text(cost.blitz),
            Parameter::IllegalMovesBlitz,
        ),
    ]
}

fn of_quickplay(quickplay: Quickplay) -> [Row; 9] {
    let Quickplay {
        must_be_announced,
        with_increment,
        in_blitz,
        needs_the_move,
        below_ms,
        may_reject,
        is_offer,
        opponent_bonus_s,
        may_ask_for_increment,
    } = quickplay;
    [
        row("quickplay.must_be_announced", yes(must_be_announced)),
        row("quickplay.with_increment", yes(with_increment)),
        row("quickplay.in_blitz", yes(in_blitz)),
        open(
            "quickplay.needs_the_move",
            yes(needs_the_move),
            Parameter::QuickplayNeedsTheMove,
        ),
        row("quickplay.below_ms", time(below_ms / 1_000)),
        open(
            "quickplay.may_reject",
            yes(may_reject),
            Parameter::QuickplayMayReject,
        ),
        row("quickplay.is_offer", yes(is_offer)),
        row(
            "quickplay.opponent_bonus_s",
            format!("+{}", time(opponent_bonus_s.into())),
        ),
        row(
            "quickplay.may_ask_for_increment",
            yes(may_ask_for_increment),
        ),
    ]
}

/// Destructured without `..`, like the parameters.
fn articles(edition: &Edition) -> Vec<Row> {
    let articles = &edition.articles;
    macro_rules! rows {
        ($($field:ident),* $(,)?) => {{
            let Articles { $($field),* } = articles;
            vec![$((stringify!($field), *$field)),*]
        }};
    }
    let all = rows![
        checkmate,
        resignation,
        stalemate,
        dead_position,
        agreement,
        offer,
        restriction,
        offer_mark,
        claim_is_offer,
        distraction,
        disrepute,
        threefold_intended,
        threefold_appeared,
        same_position,
        fifty_intended,
        fifty_appeared,
        right_lost,
        claim,
        claim_correct,
        claim_incorrect,
        fivefold,
        seventy_five,
        flag_fall,
        both_flags,
        both_flags_last,
        both_flags_unsupervised,
        illegal_move,
        illegal_position,
        quickplay,
        quickplay_increment,
        no_intervention,
    ];
    let rows = all.into_iter().map(|(field, number)| {
        let number = if number.is_empty() { "–" } else { number };
        row(&format!("articles.{field}"), number)
    });
    let uncertain = edition.provisional.contains(&Parameter::ArticleNumbers);
    let provisional = row("provisional", if uncertain { "some numbers" } else { "–" });
    rows.chain([provisional]).collect()
}

#[cfg(test)]
mod tests;
