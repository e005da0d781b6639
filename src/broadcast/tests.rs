//! The folder and the routes, fed through the actor.

mod folder;
mod state;

use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, Response, StatusCode, header},
};
use bytes::Bytes;
use remisd_laws::Score;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use remisd_vocabulary::time::SystemClock;

use crate::{
    ExitCause, ExitReport, RoundText, Rounds, Settings, Update, actor,
    disk::StatePlace,
    folder::{DialectChoice, Folder},
    http::{Published, router},
    lichess::Token,
    testing::{Sheet, board, file_with},
    upload::{HttpPut, Upload},
};
use remisd_transport::{Transport, TransportError};

struct Hall {
    updates: mpsc::Sender<Update>,
    texts: watch::Receiver<Published>,
    cancel: CancellationToken,
    unkept: watch::Receiver<Option<String>>,
}

impl Hall {
    fn open(place: &Path) -> Self {
        Self::open_in(place, place.join("state").into())
    }

    fn open_in(place: &Path, state: StatePlace) -> Self {
        let (unkept, kept) = watch::channel(None);
        let cancel = CancellationToken::new();
        let settings = Settings {
            site: "open".parse().unwrap(),
            boards: vec![board(1), board(2)],
            state,
            unkept,
            folder: Some(Folder {
                path: place.join("pgn"),
                dialect: DialectChoice::Feed,
            }),
            report: watch::channel(ExitReport::default()).0,
            clock: Arc::new(SystemClock::new()),
        };
        let (updates, texts, running) = actor(settings);
        let stop = cancel.clone();
        tokio::spawn(async move { stop.run_until_cancelled(running).await });
        Self {
            updates,
            texts,
            cancel,
            unkept: kept,
        }
    }

    /// Waits until the operator is shown why the games are not kept, or that they are.
    async fn is_kept(&mut self, is_kept: bool) {
        let found = self.unkept.wait_for(|error| error.is_none() == is_kept);
        timeout(Duration::from_secs(20), found)
            .await
            .expect("a report")
            .unwrap();
    }

    async fn show(&self, number: u32, sheet: Sheet) {
        let update = Update::Game(board(number), Box::new(sheet.game().into()));
        self.updates.send(update).await.unwrap();
    }

    async fn complete(&self) {
        self.updates.send(Update::Complete).await.unwrap();
    }

    /// Waits until the exits have a round with this text in it.
    async fn has(&mut self, text: &str) {
        let has = |texts: &Published| {
            let mut rounds = texts.values();
            rounds.any(|round| round.joined(|texts| &texts.feed).contains(text))
        };
        let found = timeout(Duration::from_secs(20), self.texts.wait_for(has));
        found.await.expect(text).unwrap();
    }
}

fn paired(game: u64, moves: &str) -> Sheet {
    Sheet::new(game)
        .paired(3, "White, A", "Black, B")
        .moves(moves)
}

#[tokio::test]
async fn a_round_is_written_whole_and_only_where_it_has_changed() {
    let place = tempfile::tempdir().unwrap();
    let mut hall = Hall::open(place.path());
    let folder = place.path().join("pgn/round-3");
    hall.show(1, paired(5, "e4 e5")).await;
    hall.show(2, paired(5, "d4")).await;
    assert!(
        hall.texts.borrow().is_empty(),
        "the others have not arrived"
    );
    hall.complete().await;
    let all = file_with(&folder.join("games.pgn"), "1. d4").await;
    let second = fs::read_to_string(folder.join("game-2.pgn")).unwrap();
    assert!(
        second.contains("[Round \"3.2\"]\n") && second.contains("[Board \"2\"]\n"),
        "{second}"
    );
    assert!(
        second.contains("[GameId \"remisd-open-3-b2-5\"]"),
        "{second}"
    );
    let first = fs::read_to_string(folder.join("game-1.pgn")).unwrap();
    assert_eq!(all, first + &second);
    let written = |name: &str| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    let before = written("game-2.pgn");
    hall.show(1, paired(5, "e4 e5 Nf3").result(Score::BothLose))
        .await;
    hall.has("Nf3").await;
    file_with(&folder.join("games.pgn"), "Nf3").await;
    assert_eq!(written("game-2.pgn"), before);
    let names = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name());
    let drafts = names.filter(|name| name.to_string_lossy().ends_with(".tmp"));
    assert_eq!(drafts.count(), 0);
    hall.cancel.cancel();
}

#[tokio::test]
async fn a_restart_forgets_no_game_of_the_round() {
    let place = tempfile::tempdir().unwrap();
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4 c5").result(Score::Draw)).await;
    hall.show(1, paired(9, "c4")).await;
    hall.show(2, paired(4, "Nf3 d5")).await;
    hall.has("1. Nf3").await;
    hall.has("1. c4").await;
    file_with(&place.path().join("pgn/round-3/games.pgn"), "1. Nf3").await;
    hall.cancel.cancel();
    let before = hall.texts.borrow()[&3].clone();
    // Board 2 is not there yet, and board 1 has only its second game.
    let mut hall = Hall::open(place.path());
    hall.show(1, paired(9, "c4 e5")).await;
    hall.complete().await;
    hall.has("1. c4 {[%clk 1:29:53]} e5").await;
    let after = hall.texts.borrow()[&3].clone();
    assert_eq!(after.games[1], before.games[1]);
    assert_eq!(after.games[0].count, 2);
    assert!(
        after.games[0].texts.feed.contains("1. e4"),
        "{:?}",
        after.games[0]
    );
}

#[tokio::test]
async fn a_changed_pairing_keeps_its_id_over_restarts_and_a_corrected_one_too() {
    let place = tempfile::tempdir().unwrap();
    let sheet = |white, moves| Sheet::new(5).paired(3, white, "Black, B").moves(moves);
    for (white, moves, id) in [
        ("Smith, A", "e4", "remisd-open-3-b1-5"),
        ("Berg, Otto", "e4 e5", "remisd-open-3-b1-5.2"),
        ("BERG, O.", "e4 e5 Nf3", "remisd-open-3-b1-5.2"),
        ("Kok, L", "e4 e5 Nf3 Nc6", "remisd-open-3-b1-5.3"),
        ("Smith, A", "e4 e5 Nf3 Nc6 Bb5", "remisd-open-3-b1-5"),
    ] {
        let mut hall = Hall::open(place.path());
        hall.show(1, sheet(white, moves)).await;
        hall.complete().await;
        let tag = format!("[White \"{white}\"]");
        hall.has(&tag).await;
        file_with(&place.path().join("pgn/round-3/games.pgn"), &tag).await;
        let text = hall.texts.borrow()[&3].joined(|texts| &texts.feed);
        assert!(text.contains(&format!("[GameId \"{id}\"]")), "{text}");
        hall.cancel.cancel();
    }
}

async fn get(
    router: &mut Router,
    path: &str,
    known: Option<&str>,
) -> (StatusCode, HeaderMap, String) {
    let mut request = Request::get(path);
    if let Some(tag) = known {
        request = request.header(header::IF_NONE_MATCH, tag);
    }
    let answer = router
        .call(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    let (head, body) = answer.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    (
        head.status,
        head.headers,
        String::from_utf8(body.to_vec()).unwrap(),
    )
}

#[tokio::test]
async fn the_games_are_served_with_tags_that_change_with_them() {
    let place = tempfile::tempdir().unwrap();
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    let mut router = router(hall.texts.clone(), DialectChoice::Feed);
    assert_eq!(
        get(&mut router, "/pgn/round.pgn", None).await.0,
        StatusCode::NOT_FOUND
    );
    hall.show(1, paired(5, "e4")).await;
    hall.has("1. e4").await;
    let (status, headers, text) = get(&mut router, "/pgn/round.pgn", None).await;
    assert_eq!(status, StatusCode::OK);
    for (name, value) in [
        (header::CONTENT_TYPE, "application/vnd.chess-pgn"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ] {
        assert_eq!(headers[&name], value, "{name}");
    }
    let file = fs::read_to_string(place.path().join("pgn/round-3/games.pgn"));
    assert!(
        file.is_err() || file.unwrap() == text,
        "folder and HTTP agree"
    );
    let tag = headers[header::ETAG].to_str().unwrap().to_owned();
    assert!(
        tag.starts_with('"') && tag.ends_with('"'),
        "{tag} is strong"
    );
    let (status, headers, text) = get(&mut router, "/pgn/round.pgn", Some(&tag)).await;
    assert_eq!((status, text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(headers[header::ETAG], tag.as_str());
    let empty = get(&mut router, "/pgn/round-3/game-2.pgn", None).await;
    assert!(empty.2.ends_with("\n\n*\n\n"), "{}", empty.2);
    hall.show(1, paired(5, "e4 e5")).await;
    hall.has("1. e4 {[%clk 1:29:53]} e5").await;
    let (status, _, text) = get(&mut router, "/pgn/game-1.pgn", Some(&tag)).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("e5"), "{text}");
    for missing in ["/pgn/game-3.pgn", "/pgn/round-2/round.pgn", "/pgn/x"] {
        assert_eq!(
            get(&mut router, missing, None).await.0,
            StatusCode::NOT_FOUND,
            "{missing}"
        );
    }
}

#[tokio::test]
async fn all_answers_share_the_text_of_a_round() {
    let place = tempfile::tempdir().unwrap();
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    hall.has("1. e4").await;
    let mut router = router(hall.texts.clone(), DialectChoice::Feed);
    let mut body = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = router.call(request).await.unwrap();
        to_bytes(answer.into_body(), usize::MAX).await.unwrap()
    };
    for paths in [
        ["/pgn/round.pgn", "/pgn/round-3/games.pgn"],
        ["/pgn/game-1.pgn", "/pgn/round-3/game-1.pgn"],
    ] {
        let [one, other] = [body(paths[0]).await, body(paths[1]).await];
        assert!(!one.is_empty(), "{paths:?}");
        assert_eq!(one.as_ptr(), other.as_ptr(), "{paths:?}");
    }
    let before = body("/pgn/round.pgn").await;
    hall.show(1, paired(5, "e4 e5")).await;
    hall.has("1. e4 {[%clk 1:29:53]} e5").await;
    let after = body("/pgn/round.pgn").await;
    assert_ne!(before, after, "a change makes a new text");
}

/// Records what is put, and refuses the first request.
#[derive(Clone, Default)]
struct Put(Arc<Mutex<Vec<(String, String)>>>);

impl Transport for Put {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        assert_eq!(request.headers()[header::AUTHORIZATION], "Basic eDp5");
        if request.method() == "HEAD" {
            // A file without a game must not replace one with a game.
            let mut answer = Response::new(Bytes::new());
            *answer.status_mut() = StatusCode::NOT_FOUND;
            return Ok(answer);
        }
        assert_eq!(request.method(), "PUT");
        let text = String::from_utf8(request.body().to_vec()).unwrap();
        let mut put = self.0.lock().unwrap();
        put.push((request.uri().path().to_owned(), text));
        let mut answer = Response::new(Bytes::new());
        if put.len() == 1 {
            *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        Ok(answer)
    }
}

#[tokio::test(start_paused = true)]
async fn each_file_that_changes_is_put_again_until_the_server_has_it() {
    let mut rounds = Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
    let (texts, seen) = watch::channel(Published::default());
    let put = Put::default();
    let upload = Upload {
        dialect: DialectChoice::Feed,
    };
    let uploader = HttpPut {
        transport: put.clone(),
        url: "https://x.example/pgn".to_owned(),
        authorization: Some(Token::new("Basic eDp5").unwrap()),
    };
    let (report, reported) = watch::channel(ExitReport::default());
    let clock = Arc::new(SystemClock::new());
    tokio::spawn(upload.run(uploader, seen, report, clock));
    let mut show = |moves| {
        rounds.take(&board(1), paired(5, moves).game());
        let text = RoundText::of(&rounds, 3, None, &[board(1)]);
        texts.send_replace(Arc::new(BTreeMap::from([(3, Arc::new(text))])));
    };
    show("e4");
    tokio::time::sleep(Duration::from_secs(30)).await;
    let paths = |put: &Put| -> Vec<String> {
        let put = put.0.lock().unwrap();
        put.iter()
            .map(|(path, _)| path.rsplit('/').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        paths(&put),
        ["game-1.pgn", "game-1.pgn", "game-2.pgn", "games.pgn"]
    );
    assert!(reported.borrow().at.is_some() && reported.borrow().error.is_none());
    show("e4 e5");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(paths(&put)[4..], ["game-1.pgn", "games.pgn"]);
    let last = put.0.lock().unwrap().last().cloned().unwrap();
    assert!(
        last.0 == "/pgn/round-3/games.pgn" && last.1.contains("e5"),
        "{last:?}"
    );
}
