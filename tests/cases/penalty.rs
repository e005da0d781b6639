//! The cost of an incorrect claim: by the pure function and at a board.

use remisd_game::{Claimed, Role, Ruling, Score, Verb};
use remisd_laws::{Edition, Regulations, TimeChange, incorrect_claim};
use serde_json::Value;
use shakmaty::Color;

use super::table::{Table, milliseconds, rate};

pub fn check(case: &Value, edition: &'static Edition) {
    let (given, expect) = (&case["given"], &case["expect"]);
    let regulations = Regulations::new(edition, rate(given["mode"].as_str().unwrap()));
    let claimant = milliseconds(&given["claimant_remaining_s"]);
    let opponent = milliseconds(&given["opponent_remaining_s"]);
    let after = |(own, other): (TimeChange, TimeChange)| {
        let own = own.apply(claimant).unwrap();
        (own, other.apply(opponent).unwrap())
    };
    let wanted = (
        milliseconds(&expect["claimant_remaining_s"]),
        milliseconds(&expect["opponent_remaining_s"]),
    );
    let changes = incorrect_claim(&regulations, Some(claimant));
    assert_eq!(after(changes), wanted, "{}", edition.id);

    for claiming in [Color::White, Color::Black] {
        let mut table = Table::new(regulations.clone());
        table.begin_at(super::table::QUIET);
        if claiming == Color::Black {
            table.wander(1);
        }
        let (white_ms, black_ms) = claiming.fold_wb((claimant, opponent), (opponent, claimant));
        table.show_clock(|clock| (clock.white_ms, clock.black_ms) = (white_ms, black_ms));
        let claim = Verb::Claim {
            player: None,
            kind: Claimed::Threefold,
            announced: Some(claiming.fold_wb("Qd3", "Na6").to_owned()),
            written: true,
        };
        table.ok(claiming.fold_wb(Role::White, Role::Black), claim);
        let ruling = Verb::Ruling(Ruling::Claim {
            correct: false,
            admissible: true,
        });
        table.ok(Role::Arbiter, ruling);
        let ordered = &table.game.adjustments()[0];
        let (white, black) = (ordered.white, ordered.black);
        let changes = claiming.fold_wb((white, black), (black, white));
        assert_eq!(after(changes), wanted, "{} at a board", edition.id);
        assert_eq!(table.score(), None::<Score>);
        if let Some(text) = expect.get("if_intended_move") {
            assert_eq!(text, "must be played");
            let must = table.game.must_play().expect("the announced move");
            assert_eq!((must.by, must.legal), (claiming.into(), true));
        }
    }
}
