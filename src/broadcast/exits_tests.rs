//! The folder and the routes, fed through the actor.

use std::{fs, path::Path, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode, header},
};
use remisd_laws::Score;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::{
    Settings, Update,
    folder::{DialectChoice, Folder},
    http::{Published, router},
    spawn,
    testing::{Sheet, board},
};

struct Hall {
    updates: mpsc::Sender<Update>,
    texts: watch::Receiver<Published>,
    cancel: CancellationToken,
}

impl Hall {
    fn open(place: &Path) -> Self {
        let cancel = CancellationToken::new();
        let settings = Settings {
            site: "open".parse().unwrap(),
            boards: vec![board(1), board(2)],
            state: place.join("state"),
            folder: Some(Folder {
                path: place.join("pgn"),
                dialect: DialectChoice::Feed,
            }),
        };
        let (updates, texts) = spawn(settings, cancel.clone());
        Self {
            updates,
            texts,
            cancel,
        }
    }

    async fn show(&self, number: u32, sheet: Sheet) {
        let update = Update::Game(board(number), Box::new(sheet.game()));
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
        let told = timeout(Duration::from_secs(20), self.texts.wait_for(has));
        told.await.expect(text).unwrap();
    }
}

fn paired(game: u64, moves: &str) -> Sheet {
    Sheet::new(game)
        .paired(3, "White, A", "Black, B")
        .moves(moves)
}

async fn read_when(path: &Path, text: &str) -> String {
    for _ in 0..2_000 {
        if let Ok(there) = fs::read_to_string(path)
            && there.contains(text)
        {
            return there;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} has no {text}", path.display());
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
    let all = read_when(&folder.join("games.pgn"), "1. d4").await;
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
    read_when(&folder.join("games.pgn"), "Nf3").await;
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
    read_when(&place.path().join("pgn/round-3/games.pgn"), "1. Nf3").await;
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
