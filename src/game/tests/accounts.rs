//! Second accounts of the game: when a difference counts, when it is closed, and what the arbiter
//! chooses.

mod choice;
mod lasting;
mod open;
mod other_game;

use std::sync::Arc;

use shakmaty::{Chess, Position as _, uci::UciMove};

use super::{
    table::{INCORRECT, correct, restarted},
    *,
};
use crate::{
    Account, AccountKind, AccountStanding, AccountVersion, AccountWatch, OtherGame, UnresolvedKind,
};
use remisd_laws::Ply;
use remisd_vocabulary::time::{Moment, Span};

/// A record and the program that is compared with it.
struct Compared {
    table: Table,
    kind: AccountKind,
    watch: AccountWatch,
    now: Moment,
    inputs: Vec<Input>,
}

fn account(moves: &str) -> Account {
    let mut position = Chess::default();
    let moves = moves.split_whitespace().map(|uci| {
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
        m
    });
    Account {
        start: Chess::default(),
        moves: moves.collect(),
        signs: Vec::new(),
        unreadable: None,
        result: None,
        doubted_since: None,
        tags: BTreeMap::new(),
    }
}

fn tagged(moves: &str, tags: &[(&str, &str)]) -> Account {
    let tags = tags.iter();
    Account {
        tags: tags
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..account(moves)
    }
}

impl Compared {
    fn new(record: &str) -> Self {
        Self::with(AccountKind::Pgn, record)
    }

    fn with(kind: AccountKind, record: &str) -> Self {
        let mut table = Table::new(Confirm::Arbiter);
        if !record.is_empty() {
            table.moves(record);
        }
        Self {
            table,
            kind,
            watch: AccountWatch::new(kind, "games.pgn"),
            now: Moment::from_millis(1_000),
            inputs: Vec::new(),
        }
    }

    fn check(&mut self) {
        while let Some(input) = self.watch.check(&self.table.game, self.now) {
            assert!(self.inputs.len() < 100, "it does not come to rest");
            self.inputs.push(input.clone());
            self.table.input(input);
        }
        let is_later = |due| due > self.now;
        assert!(
            self.watch.due().is_none_or(is_later),
            "it would be checked for ever"
        );
    }

    /// The account has these moves from now on; nothing else happens for five seconds.
    fn has(&mut self, account: Account) {
        self.writes(account, true);
        self.waits(5_000);
    }

    fn writes(&mut self, account: Account, is_settled: bool) {
        self.watch.see("games.pgn", Arc::new(account), is_settled);
        self.check();
    }

    fn waits(&mut self, ms: u64) {
        self.now += Span::from_millis(ms);
        self.check();
    }

    /// The daemon starts again.
    fn restarts(&mut self) {
        self.watch = AccountWatch::new(self.kind, "games.pgn");
    }

    fn has_result(&mut self, score: Score) {
        let result = Verb::Result { score, game: None };
        assert_eq!(self.table.ask(ARBITER, result), None);
    }

    fn not_compared(&self) -> Option<serde_json::Value> {
        let alert = self.table.alert(AlertCode::AccountNotCompared)?;
        Some(alert.arguments["why"].clone())
    }

    fn alert(&self) -> Option<Alert> {
        self.table.alert(AlertCode::AccountsDiffer)
    }

    fn choose(&mut self, version: AccountVersion) -> Option<RefusalCode> {
        self.choose_dropping(version, None)
    }

    /// The arbiter chooses, as the board's actor does it, and knows that so many plies are lost.
    fn choose_dropping(
        &mut self,
        version: AccountVersion,
        dropped: Option<Ply>,
    ) -> Option<RefusalCode> {
        let alert = self.alert().expect("a difference is open").id;
        if version == AccountVersion::Account {
            match self.watch.before_choice(&self.table.game) {
                Ok(Some(input)) => {
                    self.table.input(input);
                }
                Ok(None) => {}
                Err(_) => return Some(RefusalCode::Stale),
            }
        }
        let choice = Verb::Choose {
            alert,
            version,
            dropped,
        };
        let code = self.table.ask(ARBITER, choice);
        self.waits(5_000);
        code
    }

    fn standing(&self) -> &AccountStanding {
        &self.table.game.account(self.kind).unwrap().standing
    }

    fn lost(&self) -> Option<&str> {
        self.table.game.account(self.kind).unwrap().lost.as_deref()
    }

    fn is_other(&self) -> Option<OtherGame> {
        match self.standing() {
            AccountStanding::OtherGame { why } => Some(*why),
            _ => None,
        }
    }

    fn record(&self) -> String {
        let moves = self.table.game.moves().iter();
        let moves: Vec<&str> = moves.map(|played| played.text.uci.as_str()).collect();
        moves.join(" ")
    }
}

#[test]
fn either_may_be_late() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4"));
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    compared.has(account("e2e4 e7e5 g1f3 b8c6 f1b5"));
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.inputs.len(), 1, "nothing else was news");
}

#[test]
fn a_difference_shows_both_versions_and_closes_when_both_agree() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5 g1f3"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6 f1b5"));
    let alert = compared.alert().expect("an alert");
    assert_eq!(alert.id, "accounts_differ-pgn.3.b1c3");
    assert_eq!(alert.level, Level::Amber);
    let argument = |name: &str| alert.arguments[name].clone();
    assert_eq!(argument("record"), "2.Nf3 Nc6");
    assert_eq!(argument("other"), "2.Nc3 Nc6 3.Bb5");
    assert_eq!(
        (argument("ply"), argument("after")),
        (3.into(), "1…e5".into())
    );
    assert_eq!(argument("source"), "games.pgn");
    let game = &compared.table.game;
    assert_eq!(game.account_differs_since(), Some(3));
    assert_eq!(game.doubted_since(), Some(3));
    assert_eq!(game.uncertain_since(), None, "for everybody else");
    compared.has(account("e2e4 e7e5 g1f3 b8c6 f1b5"));
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.table.game.doubted_since(), None);
}

#[test]
fn only_the_results_may_differ() {
    let mut compared = Compared::new("e2e4 e7e5");
    let with = |result| Account {
        result,
        ..account("e2e4 e7e5")
    };
    compared.has(with(Some(Score::Draw)));
    assert_eq!(
        compared.standing(),
        &AccountStanding::Agrees,
        "the record is late"
    );
    let won = Verb::Result {
        score: Score::WhiteWins,
        game: None,
    };
    assert_eq!(compared.table.ask(ARBITER, won), None);
    compared.waits(5_000);
    compared.waits(5_000);
    let alert = compared.alert().expect("an alert");
    assert_eq!(alert.level, Level::Red);
    assert_eq!(alert.arguments["differs"], "result");
    assert_eq!(alert.arguments["record"], "1-0");
    assert_eq!(alert.arguments["other"], "1/2-1/2");
    assert_eq!(compared.choose(AccountVersion::Record), None);
    assert_eq!(compared.alert(), None);
    compared.has(with(Some(Score::BlackWins)));
    assert!(compared.alert().is_some(), "another result");
    assert_eq!(compared.choose(AccountVersion::Account), None);
    let score = compared.table.game.result().map(|result| result.score);
    assert_eq!(score, Some(Score::BlackWins));
}

#[test]
fn no_player_and_no_operator_chooses() {
    use std::str::FromStr as _;
    let choose = VerbName::from_str("choose").unwrap();
    assert_eq!(choose.roles(), [Role::Arbiter]);
}
