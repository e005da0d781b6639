//! What players do at the board, as the actor sees it.

use super::*;

/// What the hall and the public can see of the board.
fn seen_from_outside(seat: &Seat) -> Vec<(serde_json::Value, bool)> {
    let audiences = [Outside::Hall, Outside::Public];
    let seen = audiences.map(|audience| {
        let views = competition();
        let line = BoardConnection::default();
        let view = views.view(audience, Leaf::Game, &BoardSnapshot::of(seat.game(), &line));
        let content = view.unwrap().content();
        let uncertain = content
            .get("uncertain")
            .is_some_and(|value| !value.is_null());
        (content["tracker"]["state"].clone(), uncertain)
    });
    seen.to_vec()
}

#[tokio::test]
async fn kings_in_the_centre_do_not_reveal_outside_that_the_game_was_over() {
    let (mut seat, mut board) = seat_at("4k2r/8/8/8/8/8/8/4K2R w - - 149 100").await;
    carry(&mut board, Square::H1, Square::G1);
    seat.shows(&board).await;
    assert!(seat.game().ended().is_some());
    let mut kings = board.clone();
    carry(&mut kings, Square::E1, Square::E4);
    carry(&mut kings, Square::E8, Square::D4);
    seat.shows(&kings).await;
    assert!(seat.game().shows_known_sign());
    assert_ne!(seat.game().tracking(), Tracking::Resting, "it is followed");
    let following = vec![("following".into(), false); 2];
    assert_eq!(seen_from_outside(&seat), following);
    // Back from the centre: the sign is withdrawn.
    seat.shows(&board).await;
    assert!(!seat.game().shows_known_sign());
}

#[tokio::test]
async fn after_a_mate_the_kings_in_the_centre_let_the_board_rest() {
    let (mut seat, mut board) = seat_at("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").await;
    carry(&mut board, Square::A1, Square::A8);
    seat.shows(&board).await;
    let (_, end) = seat.game().ended().expect("mate");
    assert_eq!(end.kind, AutomaticKind::Checkmate);
    let mut kings = board.clone();
    carry(&mut kings, Square::G1, Square::E4);
    carry(&mut kings, Square::G8, Square::D5);
    seat.shows(&kings).await;
    assert_eq!(seat.game().tracking(), Tracking::Resting);
    seat.shows(&Board::empty()).await;
    assert_eq!(seat.game().tracking(), Tracking::Resting);
    let following = vec![("following".into(), false); 2];
    assert_eq!(seen_from_outside(&seat), following);
}

#[tokio::test]
async fn play_that_continues_after_the_players_have_shown_the_result_of_the_laws_is_seen() {
    let (mut seat, mut board) = seat_at("4k2r/8/8/8/8/8/8/4K2R w - - 149 100").await;
    carry(&mut board, Square::H1, Square::G1);
    seat.shows(&board).await;
    let (ply, end) = seat.game().ended().expect("an end");
    assert_eq!((ply, end.kind), (1, AutomaticKind::SeventyFiveMove));

    let mut kings = board.clone();
    carry(&mut kings, Square::E1, Square::E4);
    carry(&mut kings, Square::E8, Square::D4);
    seat.shows(&kings).await;
    assert_eq!(seat.game().proposed_result(), None, "it is a draw already");
    seat.shows(&board).await;
    carry(&mut board, Square::H8, Square::G8);
    seat.shows(&board).await;
    assert_eq!(seat.game().ply(), 2);
    let mut open = seat.game().alerts().open().iter();
    assert!(open.any(|alert| alert.code == AlertCode::PlayAfterEnd));
}

#[tokio::test]
async fn a_move_that_stands_and_is_not_settled_is_known_to_what_players_do_beside_it() {
    let mut seat = Seat::under(&laws::FIDE_2001).await;
    let mut board = Board::new();
    seat.shows(&board).await;
    assert!(seat.actor.tracker.likely_move(Moment::START).is_none());
    carry(&mut board, Square::E2, Square::E3);
    seat.senses(Sensed::Placement(Placement::from(&board)))
        .await;
    seat.clock.advance(200);
    assert_eq!(seat.game().ply(), 0, "it may be on its way");
    let by = "\"by\":\"someone\"";
    assert!(seat.asks(Role::White, "offer", by).await);
    assert_eq!(seat.game().standing_offer().unwrap().ply, 1);
    seat.shows(&board).await;
    assert_eq!(seat.game().ply(), 1);
    assert!(seat.game().standing_offer().is_some());
    // A settled move is not attached to a later claim.
    assert!(
        seat.asks(Role::Black, "claim", "\"kind\":\"threefold\"")
            .await
    );
    assert_eq!(seat.game().open_claim().unwrap().contested, None);
}

#[tokio::test]
async fn a_resignation_does_not_go_before_the_stalemate_on_the_board() {
    let (mut seat, mut board) = seat_at("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1").await;
    carry(&mut board, Square::G5, Square::G6);
    seat.senses(Sensed::Placement(Placement::from(&board)))
        .await;
    seat.clock.advance(200);
    let by = "\"by\":\"someone\"";
    assert!(seat.asks(Role::Black, "resign", by).await);
    assert_eq!(seat.game().result(), None);
    seat.shows(&board).await;
    let (ply, end) = seat.game().ended().expect("stalemate");
    assert_eq!((ply, end.kind), (1, AutomaticKind::Stalemate));
}

#[tokio::test]
async fn an_opponents_piece_that_is_lifted_may_have_been_touched_to_capture_it() {
    let (mut seat, mut board) = seat_at("4k2r/8/8/8/8/8/8/4K2R w - - 0 1").await;
    board.remove_piece_at(Square::H8).unwrap();
    seat.shows(&board).await;
    let touched = seat.game().touched();
    assert_eq!(touched.len(), 1, "{touched:?}");
    assert_eq!((touched[0].square, touched[0].sure), (Square::H8, false));
    assert_eq!(touched[0].by, remisd_game::Side::White);
    board.set_piece_at(Square::H8, Color::Black.rook());
    seat.shows(&board).await;
    let claim = "\"kind\":\"threefold\"";
    assert!(seat.asks(Role::White, "claim", claim).await);
    let claim = seat.game().open_claim().unwrap();
    let contested = claim.contested.as_ref().unwrap();
    assert_eq!((contested.square, contested.sure), (Square::H8, false));
}

#[tokio::test]
async fn settled_plies_stay_in_doubt_where_the_board_is_looked_at_anew() {
    let (mut seat, mut board) = seat_at("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").await;
    carry(&mut board, Square::A1, Square::B1);
    seat.shows(&board).await;
    carry(&mut board, Square::G8, Square::F8);
    seat.shows(&board).await;
    assert_eq!(seat.game().ply(), 2);
    let contradicts = Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 2,
    };
    seat.actor.write(contradicts).await;
    assert_eq!(seat.game().uncertain_since(), Some(1));
    seat.actor.begin(false, &seat.answer).await;
    let mut wrong = board.clone();
    carry(&mut wrong, Square::H7, Square::C3);
    seat.shows(&wrong).await;
    assert_eq!(seat.game().uncertain_since(), Some(1), "as before");
    seat.shows(&board).await;
    assert_eq!(seat.game().uncertain_since(), None);
    seat.actor.begin(false, &seat.answer).await;
    seat.shows(&wrong).await;
    assert_eq!(
        seat.game().uncertain_since(),
        Some(3),
        "the board has agreed"
    );
}

#[tokio::test]
async fn settled_plies_stay_in_doubt_over_restarts_in_which_the_board_is_not_read() {
    let (mut seat, mut board) = seat_at("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").await;
    carry(&mut board, Square::A1, Square::B1);
    seat.shows(&board).await;
    let contradicts = Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 1,
    };
    seat.actor.write(contradicts).await;
    for _ in 0..2 {
        seat.actor.doubted = Doubted::default();
        seat.actor.begin(false, &seat.answer).await;
    }
    carry(&mut board, Square::H7, Square::C3);
    seat.shows(&board).await;
    seat.actor
        .write(Input::Move {
            uci: "g8f8".into(),
            by: remisd_vocabulary::reading::SettledBy::Reply,
            clock: None,
        })
        .await;
    assert_eq!(seat.game().uncertain_since(), Some(1));
}

#[tokio::test]
async fn a_mismatch_that_ended_while_a_result_was_shown_is_over_when_play_continues() {
    let (mut seat, board) = seat_at("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").await;
    let mut wrong = board.clone();
    carry(&mut wrong, Square::H7, Square::C3);
    seat.shows(&wrong).await;
    assert!(matches!(seat.game().tracking(), Tracking::Mismatch(_)));
    let shown = Input::ResultProposed {
        winner: None,
        sign: remisd_vocabulary::reading::Sign::Kings,
    };
    let written = seat.actor.write(shown).await;
    seat.actor.on_facts(&written.facts, &seat.answer);
    seat.shows(&board).await;
    let mut open = seat.game().alerts().open().iter();
    let alert = open.find(|alert| alert.code == AlertCode::ResultProposed);
    let alert = format!("\"alert\":\"{}\"", alert.unwrap().id);
    assert!(seat.asks(Role::Arbiter, "ack", &alert).await);
    seat.shows(&board).await;
    assert_eq!(seat.game().tracking(), Tracking::Following);
    assert_eq!(seat.game().uncertain_since(), None);
}

/// The board after a move that was seen so lately that it may be on its way.
async fn with_a_move_on_its_way() -> (Seat, Board) {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let mut board = Board::new();
    seat.shows(&board).await;
    carry(&mut board, Square::E2, Square::E4);
    seat.shows(&board).await;
    assert_eq!(seat.game().ply(), 1);
    carry(&mut board, Square::E7, Square::E6);
    seat.senses(Sensed::Placement(Placement::from(&board)))
        .await;
    seat.clock.advance(50);
    assert_eq!(seat.game().ply(), 1, "it may be on its way");
    (seat, board)
}

#[tokio::test]
async fn a_move_that_a_result_comes_before_is_settled_or_named_as_perhaps_missing() {
    let (mut seat, _) = with_a_move_on_its_way().await;
    assert!(
        seat.asks(Role::Arbiter, "result", "\"score\":\"1-0\"")
            .await
    );
    assert!(seat.game().result().is_some());
    let named = seat.game().unsettled_move().map(|m| m.san.as_str());
    assert_eq!((seat.game().ply(), named), (1, Some("e6")));
    assert_eq!(seat.game().uncertain_since(), Some(2));
}

#[tokio::test]
async fn a_withdrawn_result_names_no_move_that_is_on_its_way() {
    let (mut seat, _) = with_a_move_on_its_way().await;
    assert!(seat.asks(Role::Arbiter, "result", "\"score\":\"*\"").await);
    assert_eq!(seat.game().result(), None);
    assert_eq!(seat.game().uncertain_since(), None, "the game goes on");
}

#[tokio::test]
async fn a_move_that_a_new_game_comes_before_is_named_unless_the_command_is_refused() {
    let (mut seat, _) = with_a_move_on_its_way().await;
    let fen = "\"start_fen\":\"nonsense\"";
    assert!(!seat.asks(Role::Arbiter, "new_game", fen).await);
    assert_eq!(seat.game().uncertain_since(), None);
    let tags = "\"headers\":{}";
    assert!(seat.asks(Role::Arbiter, "new_game", tags).await);
    let [left] = seat.game().unresolved_matters() else {
        panic!("{:?}", seat.game().unresolved_matters());
    };
    assert_eq!(left.unsettled.as_ref().unwrap().san, "e6");
}

/// White plays e4, and Black lifts a pawn.
fn e4_and_a_lift(begin: Moment) -> Vec<BoardEvent> {
    let pawn = Seen::Piece(shakmaty::Role::Pawn.of(Color::White));
    let reports = [
        (1_000, Square::E2, Seen::Empty),
        (1_300, Square::E4, pawn),
        (3_000, Square::E7, Seen::Empty),
    ];
    let reports = reports
        .into_iter()
        .map(|(after_ms, square, seen)| BoardEvent {
            at: begin + Span::from_millis(after_ms),
            sensed: Sensed::Square(square, seen),
        });
    reports.collect()
}

#[tokio::test]
async fn reports_that_wait_for_a_busy_actor_keep_their_times() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    seat.senses(Sensed::Placement(Placement::start())).await;
    let reports = e4_and_a_lift(seat.clock.monotonic());
    let mut expected = Tracker::new(
        remisd_vocabulary::reading::Settings::default(),
        Chess::default(),
    );
    let begin = seat.clock.monotonic();
    expected.sense(&Sensed::Placement(Placement::start()), begin);
    let (sender, mut events) = mpsc::channel(8);
    for event in reports {
        expected.sense(&event.sensed, event.at);
        sender.send(event).await.unwrap();
    }
    seat.clock.advance(4_000);
    expected.tick(seat.clock.monotonic());
    let answer = seat.answer.clone();
    seat.actor.let_time_pass(&mut events, &answer).await;
    assert_eq!(seat.actor.tracker.inspect(8), expected.inspect(8));
    assert_eq!(seat.game().ply(), 1);
}

#[tokio::test]
async fn reports_from_before_a_command_are_read_before_it_and_no_others() {
    for (late_ms, plies) in [(4_000, 1), (1_100, 0)] {
        assert_eq!(Box::pin(plies_at_result(late_ms)).await, plies, "{late_ms}");
    }
}

/// The plies of the game when the result is entered. A pawn is lifted after 1 s, is on e4 after 1.3 s,
/// and the reply is begun after 3 s. The command comes after `late_ms`. All wait for the actor.
async fn plies_at_result(late_ms: u64) -> u64 {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    seat.senses(Sensed::Placement(Placement::start())).await;
    let (sender, events) = mpsc::channel(8);
    for event in e4_and_a_lift(seat.clock.monotonic()) {
        sender.send(event).await.unwrap();
    }
    let began = seat.clock.monotonic();
    seat.clock.advance(4_000);
    let (mailbox, commands) = publish::commands(crate::daemon::intake::ROOM);
    let taken = mailbox.try_send(CommandMessage {
        topic: "chess/v1/hall/cmd/arbiter/b1/result".to_owned(),
        payload: "{\"id\":\"r\",\"score\":\"1-0\"}".into(),
        retain: false,
        response_topic: None,
        correlation: None,
        at: Some(began + Span::from_millis(late_ms)),
    });
    taken.unwrap();
    let (_questions, inbox) = inbox(events, commands);
    let (publisher, cancel) = (seat.actor.publisher.clone(), CancellationToken::new());
    let decided = async {
        loop {
            let messages = publisher.full_snapshot().into_iter();
            let mut games = messages.filter(|message| message.topic.ends_with("/arbiter/b1/game"));
            let game = games.next().map(|message| message.payload);
            let game =
                game.and_then(|game| serde_json::from_slice::<serde_json::Value>(&game).ok());
            if let Some(game) = game.filter(|game| !game["result"].is_null()) {
                cancel.cancel();
                return game;
            }
            tokio::task::yield_now().await;
        }
    };
    let running = Box::pin(seat.actor.run(inbox, cancel.clone()));
    let ((), game) = tokio::join!(running, decided);
    game["result"]["ply"].as_u64().unwrap()
}

#[tokio::test]
async fn a_doubt_from_before_a_restart_ends_when_the_board_agrees() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let start = Board::new();
    seat.shows(&start).await;
    let mismatch = Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 0,
    };
    seat.actor.write(mismatch).await;
    assert_eq!(seat.game().uncertain_since(), Some(1));
    // The daemon starts again, and the pieces are back before it sees the board.
    let version = "0.1.0".to_owned();
    seat.actor
        .write(Input::Start {
            version,
            rules: None,
        })
        .await;
    let settings = remisd_vocabulary::reading::Settings::default();
    *seat.actor.tracker = Tracker::new(settings, Chess::default());
    assert_eq!(seat.game().uncertain_since(), Some(1));
    seat.shows(&start).await;
    assert_eq!(seat.game().uncertain_since(), None);
}

/// A daemon starts again with the same record.
async fn restart(seat: &mut Seat) {
    let settings = remisd_vocabulary::reading::Settings::default();
    *seat.actor.tracker = Tracker::new(settings, Chess::default());
    seat.actor.reading = None;
    seat.actor.begin(false, &seat.answer).await;
}

#[tokio::test]
async fn the_side_of_the_clock_is_remembered_over_restarts() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let mut board = Board::new();
    seat.shows(&board).await;
    // White has ten minutes, on the side that is taken for Black's.
    let reading = |turn: Color| ClockReading {
        white_ms: 300_000,
        black_ms: 600_000,
        running: Some(turn.other()),
        lever: Some(turn.other()),
        flag: None,
        low_battery: false,
    };
    seat.senses(Sensed::Clock(reading(Color::White))).await;
    let mut turn = Color::White;
    for (from, to) in [
        (Square::E2, Square::E4),
        (Square::E7, Square::E5),
        (Square::G1, Square::F3),
        (Square::B8, Square::C6),
        (Square::F1, Square::B5),
        (Square::A7, Square::A6),
    ] {
        carry(&mut board, from, to);
        let moved = Placement::from(&board);
        seat.senses(Sensed::Placement(moved)).await;
        seat.clock.advance(600);
        turn = turn.other();
        seat.senses(Sensed::Clock(reading(turn))).await;
        seat.shows(&board).await;
    }
    assert!(seat.actor.tracker.clock_is_reversed());
    let times = |seat: &Seat| {
        let moves = seat.game().moves().iter();
        let times = moves.map(|played| played.clock.map(|clock| clock.white_ms));
        times.collect::<Vec<_>>()
    };
    let recorded = times(&seat);
    assert_eq!(recorded[5], Some(600_000));

    restart(&mut seat).await;
    seat.senses(Sensed::Clock(reading(turn))).await;
    assert!(seat.actor.tracker.clock_is_reversed());
    assert_eq!(seat.game().clock().unwrap().white_ms, 600_000);

    // So is it for the next game, as without a restart.
    let result = "\"score\":\"1-0\"";
    assert!(seat.asks(Role::Arbiter, "result", result).await);
    restart(&mut seat).await;
    assert!(seat.game().clock_is_reversed());
    assert_eq!(seat.game().clock().unwrap().white_ms, 600_000);
    assert_eq!(times(&seat), recorded);
}
