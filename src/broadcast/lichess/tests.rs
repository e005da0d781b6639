//! Rounds pushed to the [`Fake`], in virtual time.

use std::sync::Arc;

use remisd_game::RefusalCode;
use remisd_laws::Score;
use remisd_vocabulary::{name::BoardId, time::SystemClock};
use tokio::{task::JoinHandle, time::advance};

use super::{
    fake::{Breaches, Fake, Fault, TOKEN},
    *,
};
use crate::{
    RoundText, Rounds,
    testing::{Sheet, board},
};

mod dry_run;
mod faults;
mod orders;
mod pairings;

/// The moves of a game, in two orders that lead to the same positions.
const MOVES: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7";

fn secret(secret: &str) -> Token {
    Token::new(secret).unwrap()
}

/// A hall that pushes to a Lichess.
struct Hall {
    fake: Fake,
    rounds: Rounds,
    texts: watch::Sender<Published>,
    intake: OrderIntake,
    orders: OrderStore,
    report: watch::Receiver<Report>,
    task: JoinHandle<()>,
    ids: Vec<String>,
    /// Where it is kept what Lichess shows.
    shown: Option<Arc<tempfile::TempDir>>,
}

impl Hall {
    /// A hall that keeps over restarts what Lichess shows.
    fn keeping(boards: u32, ids: &[&str]) -> Self {
        let order = (1..=boards).map(board).collect();
        let rounds = Rounds::new("open".parse().unwrap(), order);
        let place = Arc::new(tempfile::tempdir().unwrap());
        Self::with(
            Fake::with_rounds(ids),
            rounds,
            ids,
            OrderStore::in_memory(),
            Some(place),
        )
    }

    fn open(boards: u32, ids: &[&str]) -> Self {
        let order = (1..=boards).map(board).collect();
        let rounds = Rounds::new("open".parse().unwrap(), order);
        Self::pushing(Fake::with_rounds(ids), rounds, ids)
    }

    fn pushing(fake: Fake, rounds: Rounds, ids: &[&str]) -> Self {
        Self::with_store(fake, rounds, ids, OrderStore::in_memory())
    }

    fn with_store(fake: Fake, rounds: Rounds, ids: &[&str], orders: OrderStore) -> Self {
        Self::with(fake, rounds, ids, orders, None)
    }

    fn with(
        fake: Fake,
        rounds: Rounds,
        ids: &[&str],
        orders: OrderStore,
        shown: Option<Arc<tempfile::TempDir>>,
    ) -> Self {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let (texts, seen) = watch::channel(Published::default());
        let (sender, report) = watch::channel(Report::default());
        let client = Client::new(
            fake.clone(),
            "https://lichess.example/",
            secret(TOKEN),
            "arbiter",
        );
        let mut settings = settings(&ids);
        settings.boards = rounds.places(1).len();
        settings.shown = shown
            .as_ref()
            .map(|place| place.path().join("shown").into());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let intake = OrderIntake::new(
            settings.clone(),
            orders.clone(),
            seen.clone(),
            Arc::clone(&clock),
        );
        let wiring = Wiring {
            client,
            orders: orders.clone(),
            report: sender,
            clock,
        };
        let task = tokio::spawn(run(settings, wiring, seen));
        Self {
            fake,
            rounds,
            texts,
            intake,
            orders,
            report,
            task,
            ids,
            shown,
        }
    }

    fn show(&mut self, board: &BoardId, sheet: Sheet) {
        self.rounds.take(board, sheet.game());
        let before = self.texts.borrow().get(&1).cloned();
        let changed = std::slice::from_ref(board);
        let text = RoundText::of(&self.rounds, 1, before.as_deref(), changed);
        self.texts
            .send_replace(Arc::new(BTreeMap::from([(1, Arc::new(text))])));
    }

    /// The daemon starts again: it knows what is kept, and nothing of what was pushed.
    fn restart(self) -> Self {
        let orders = self.orders.clone();
        self.restart_with(orders)
    }

    fn restart_with(self, orders: OrderStore) -> Self {
        self.task.abort();
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let hall = Self::with(self.fake, self.rounds, &ids, orders, self.shown);
        hall.texts.send_replace(self.texts.borrow().clone());
        hall
    }

    /// What Lichess shows, as board, moves and result.
    fn shown(&self) -> Vec<(String, String, String)> {
        let chapters = self.ids.iter().flat_map(|id| self.fake.chapters(id));
        let shown = chapters.map(|chapter| {
            let tag = |name| chapter.tag(name).unwrap_or_default().to_owned();
            assert!(chapter.variations.is_empty(), "{:?}", chapter.variations);
            (tag("Board"), chapter.line(), tag("Result"))
        });
        shown.collect()
    }
}

fn settings(ids: &[String]) -> Settings {
    let rounds = (!ids.is_empty()).then(|| (1, ids.to_vec()));
    Settings {
        rounds: rounds.into_iter().collect(),
        tournament: Some("tourname".to_owned()),
        boards: 1,
        dry_run: None,
        shown: None,
        seed: 4,
    }
}

fn sheet(board: u32, plies: usize) -> Sheet {
    let moves: Vec<&str> = MOVES.split(' ').take(plies).collect();
    let (white, black) = (format!("White, {board}"), format!("Black, {board}"));
    Sheet::new(u64::from(board))
        .paired(1, &white, &black)
        .moves(&moves.join(" "))
}

async fn pass(seconds: u64) {
    for _ in 0..seconds * 4 {
        sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_of_a_hundred_boards_arrives_whole_after_outages_corrections_and_restarts() {
    let mut hall = Hall::open(100, &["aaaaaaaa"]);
    for n in 1..=100 {
        hall.show(&board(n), sheet(n, 0));
    }
    pass(3).await;
    let mut plies = [0usize; 100];
    let mut random = fastrand::Rng::with_seed(11);
    for step in 0..600_u32 {
        let n = random.u32(..100);
        let ply = &mut plies[n as usize];
        *ply = (*ply + 1).min(20);
        hall.show(&board(n + 1), sheet(n + 1, *ply));
        pass(random.u64(..3)).await;
        match step {
            100 | 300 | 500 => hall.fake.be_down(true),
            130 | 330 | 530 => hall.fake.be_down(false),
            200 | 400 => hall = hall.restart(),
            250 => hall.fake.refuse(2),
            // A correction: the record is one ply shorter, then continues.
            step if step % 30 == 7 => {
                let ply = &mut plies[n as usize];
                *ply = ply.saturating_sub(1);
                hall.show(&board(n + 1), sheet(n + 1, *ply));
            }
            _ => {}
        }
    }
    for n in 1..=100 {
        hall.show(&board(n), sheet(n, 20).result(Score::Draw));
    }
    pass(1_300).await;
    assert_eq!(hall.fake.breaches(), Breaches::default());
    let expected: Vec<_> = (1..=100)
        .map(|n| (n.to_string(), MOVES.to_owned(), "1/2-1/2".to_owned()))
        .collect();
    assert_eq!(hall.shown(), expected);
    assert_eq!(hall.report.borrow().rounds, BTreeMap::new());
    assert_eq!(hall.report.borrow().games, BTreeMap::new());
}

#[tokio::test(start_paused = true)]
async fn more_than_a_hundred_boards_go_to_several_rounds() {
    let mut hall = Hall::open(120, &["aaaaaaaa", "bbbbbbbb"]);
    for n in 1..=120 {
        hall.show(&board(n), sheet(n, 4));
    }
    pass(5).await;
    assert_eq!(hall.fake.chapters("aaaaaaaa").len(), 60);
    assert_eq!(hall.fake.chapters("bbbbbbbb").len(), 60);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_corrected_move_leaves_a_variation_until_the_round_is_reset() {
    let mut hall = Hall::open(2, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 6));
    hall.show(&board(2), sheet(2, 3));
    pass(3).await;
    hall.show(&board(1), sheet(1, 0).moves("e4 e5 Nf3 Nf6 Nxe5"));
    pass(3).await;
    let before = hall.fake.chapters("aaaaaaaa");
    assert_eq!(before[0].line(), "e4 e5 Nf3 Nf6 Nxe5");
    assert_eq!(before[0].variations, [["Nc6", "Bb5", "a6"]]);
    let replaced = |hall: &Hall| -> Vec<Replaced> {
        let shown = hall.report.borrow().shown[&board(1)]["aaaaaaaa"].clone();
        shown[0].replaced().collect()
    };
    let named = Replaced {
        ply: 4,
        moves: "Nc6 Bb5 a6".to_owned(),
    };
    assert_eq!(replaced(&hall), [named]);
    let reset = Request::Reset { round: None };
    hall.intake
        .take(Role::Arbiter, "1", None, reset)
        .await
        .unwrap();
    pass(3).await;
    assert_eq!(replaced(&hall), []);
    assert_eq!(progress(&hall), [Progress::Done]);
    let lines: Vec<_> = hall.shown().into_iter().map(|(_, line, _)| line).collect();
    assert_eq!(lines, ["e4 e5 Nf3 Nf6 Nxe5", "e4 e5 Nf3"]);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn each_failure_is_reported_and_ends() {
    let mut hall = Hall::open(2, &["aaaaaaaa"]);
    let fault = |hall: &Hall| hall.report.borrow().rounds.get("aaaaaaaa").cloned();
    hall.fake.lock("aaaaaaaa", true, false);
    hall.show(&board(1), sheet(1, 2));
    pass(3).await;
    assert!(fault(&hall).unwrap().contains("contributor"));
    hall.fake.lock("aaaaaaaa", false, true);
    pass(300).await;
    assert!(
        fault(&hall).unwrap().contains("upstream URL"),
        "{:?}",
        fault(&hall)
    );
    hall.fake.lock("aaaaaaaa", false, false);
    pass(700).await;
    assert_eq!(fault(&hall), None);
    assert_eq!(
        hall.fake.chapters("aaaaaaaa").len(),
        1,
        "the other has no players"
    );
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_round_with_a_wrong_id_keeps_no_other_one_back() {
    // The fake knows the second round alone.
    let order = (1..=4).map(board).collect();
    let rounds = Rounds::new("open".parse().unwrap(), order);
    let fake = Fake::with_rounds(&["bbbbbbbb"]);
    let mut hall = Hall::pushing(fake, rounds, &["aaaaaaaa", "bbbbbbbb"]);
    for n in 1..=4 {
        hall.show(&board(n), sheet(n, 2));
    }
    pass(5).await;
    let fault = hall.report.borrow().rounds.get("aaaaaaaa").cloned();
    assert_eq!(fault.as_deref(), Some("Lichess knows no such round"));
    assert_eq!(hall.fake.chapters("bbbbbbbb").len(), 2);
    // Every further ply arrives without delay.
    for plies in 3..6 {
        hall.show(&board(3), sheet(3, plies));
        pass(3).await;
        let chapter = &hall.fake.chapters("bbbbbbbb")[0];
        assert_eq!(chapter.line().split(' ').count(), plies);
    }
    assert_eq!(hall.report.borrow().rounds.len(), 1);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_push_that_is_taken_can_hold_errors_of_single_games() {
    let text = |n: u32| {
        let mut rounds = Rounds::new("open".parse().unwrap(), vec![board(n)]);
        rounds.take(&board(n), sheet(n, 2).game());
        RoundText::of(&rounds, 1, None, &[]).games.remove(0)
    };
    let games = [text(1), text(2)];
    let answer =
        br#"{"games":[{"tags":{},"moves":2},{"tags":{"Board":"2"},"error":"Cannot play\nKx"}]}"#;
    let errors = answer::errors(answer, &games.iter().collect::<Vec<_>>(), &secret(TOKEN)).unwrap();
    let refused: Vec<_> = errors
        .iter()
        .map(|e| (e.board.as_str(), e.reason.as_str()))
        .collect();
    assert_eq!(refused, [("b2", "Cannot play Kx")]);
    let short = br#"{"games":[{"tags":{},"moves":2}]}"#;
    assert!(answer::errors(short, &games.iter().collect::<Vec<_>>(), &secret(TOKEN)).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_round_is_created_and_closed() {
    let fake = Fake::default();
    let client = Client::new(fake.clone(), "https://lichess.example", secret(TOKEN), "");
    let form = RoundForm {
        name: "Round 1 & more".to_owned(),
        rated: true,
        delay_s: 0,
    };
    let id = client.create_round("tourname", &form).await.unwrap();
    advance(Duration::from_secs(2)).await;
    client.close_round(&id).await.unwrap();
    assert!(fake.is_finished(&id));
    assert_eq!(fake.breaches(), Breaches::default());
}

/// The progress of all orders, oldest first.
fn progress(hall: &Hall) -> Vec<Progress> {
    let stored = hall.orders.stored();
    let stored = stored.borrow();
    stored.orders.iter().map(|placed| placed.progress).collect()
}

/// What the fake has to do, item by item, so that it can count against us.
#[tokio::test(start_paused = true)]
async fn the_fake_does_what_lichess_does() {
    let fake = Fake::with_rounds(&["aaaaaaaa"]);
    let send = |token: &'static str, id: &'static str, body: String| {
        let fake = fake.clone();
        async move {
            advance(Duration::from_mins(2)).await;
            let client = Client::new(fake, "https://lichess.example", secret(token), "");
            client
                .push(id, body)
                .await
                .map(|answer| String::from_utf8_lossy(&answer).into_owned())
        }
    };
    assert!(matches!(
        send("other", "aaaaaaaa", String::new()).await,
        Err(PushError::Unauthorized)
    ));
    assert!(matches!(
        send(TOKEN, "bbbbbbbb", String::new()).await,
        Err(PushError::NoRound)
    ));
    let game = |id: &str, white: &str, moves: &str| {
        format!(
            "[Event \"E\"]\n[Site \"S\"]\n[Round \"1.{id}\"]\n[White \"{white}\"]\n[Black \"Bob\"]\n\
             [GameId \"{id}\"]\n[Result \"*\"]\n\n{moves} *\n\n"
        )
    };
    // One bad move: an error for its game alone, and nothing of it is taken.
    let body = game("1", "Ann", "1. e4 e4") + &game("2", "Cid", "1. d4 d5") + &game("3", "bye", "");
    let answer = send(TOKEN, "aaaaaaaa", body).await.unwrap();
    assert!(answer.contains("Cannot play e4 at ply 2"), "{answer}");
    assert_eq!(fake.chapters("aaaaaaaa").len(), 1);
    // A king in the centre at the end is not a move.
    send(TOKEN, "aaaaaaaa", game("2", "Cid", "1. d4 d5 2. Ke4"))
        .await
        .unwrap();
    assert_eq!(fake.chapters("aaaaaaaa")[0].line(), "d4 d5");
    // The trap: alone and with the same moves, board 4 is written over board 2.
    send(TOKEN, "aaaaaaaa", game("4", "Eve", "1. d4 d5 2. c4"))
        .await
        .unwrap();
    assert_eq!(fake.chapters("aaaaaaaa").len(), 1);
    assert_eq!(fake.breaches().unknown, 1);
    // A draw by fifty moves is not inferred, a mate is.
    let mate = game("5", "Gil", "1. f3 e5 2. g4 Qh4#");
    send(TOKEN, "aaaaaaaa", mate).await.unwrap();
    let chapters = fake.chapters("aaaaaaaa");
    assert_eq!(chapters[1].tag("Result"), Some("0-1"));
    // Another order, too many bytes.
    send(
        TOKEN,
        "aaaaaaaa",
        game("5", "Gil", "") + &game("4", "Eve", ""),
    )
    .await
    .unwrap();
    assert_eq!(fake.breaches().order, 1);
    let large = send(TOKEN, "aaaaaaaa", "x".repeat(512 * 1024))
        .await
        .unwrap_err();
    assert!(large.to_string().contains("413"), "{large}");
    assert_eq!(fake.breaches().size, 1);
    // A delayed round shows a push after its delay, less one second.
    fake.delay("aaaaaaaa", Duration::from_mins(5));
    send(TOKEN, "aaaaaaaa", game("4", "Eve", "1. d4 d5 2. c4 e6"))
        .await
        .unwrap();
    assert_eq!(fake.chapters("aaaaaaaa")[0].line(), "d4 d5 c4");
    advance(Duration::from_secs(299)).await;
    assert_eq!(fake.chapters("aaaaaaaa")[0].line(), "d4 d5 c4 e6");
    assert_eq!(
        fake.breaches().overlap + fake.breaches().rate + fake.breaches().impatience,
        0
    );
    // Two together, and again too early.
    let client = Client::new(fake.clone(), "https://x.example", secret(TOKEN), "");
    let (one, two) = tokio::join!(
        client.push("aaaaaaaa", String::new()),
        client.push("aaaaaaaa", String::new())
    );
    assert!(one.is_ok() && matches!(two, Err(PushError::TooMany)));
    assert_eq!(fake.breaches().overlap, 1);
    advance(Duration::from_secs(30)).await;
    client.push("aaaaaaaa", String::new()).await.unwrap();
    assert_eq!(fake.breaches().impatience, 1);
}
