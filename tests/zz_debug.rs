use remisd::{board::event::*, hand::*, pgn::Games};
use shakmaty::*;
fn show(t: &mut Tracker, label: &str, now: u64, quiet: bool) {
    let r = t.readings();
    println!(
        "{now} {label} due {:?} {}",
        t.deadline(),
        r.iter()
            .map(|r| format!("{r:?}"))
            .collect::<Vec<_>>()
            .join("; ")
    );
    if quiet {
        return;
    }
    for h in t.hypotheses() {
        println!(
            "      {:?} cost {} diff {:?} {:?}",
            h.line
                .iter()
                .map(|m| m.to_uci(CastlingMode::Standard).to_string())
                .collect::<Vec<_>>(),
            h.cost,
            h.difference.missing.into_iter().collect::<Vec<_>>(),
            h.difference.foreign.into_iter().collect::<Vec<_>>()
        );
    }
}
fn wait(t: &mut Tracker, now: &mut u64, ms: u64) {
    let until = *now + ms;
    while let Some(d) = t.deadline().filter(|d| *d <= until) {
        *now = (*now).max(d);
        t.tick(*now);
        show(t, "tick", *now, true);
    }
    *now = until;
}
#[test]
fn script() {
    let fen: fen::Fen = std::env::var("FEN").unwrap().parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut t = Tracker::new(Settings::default(), position.clone());
    let mut now = 0;
    t.sense(&Sensed::Placement(Placement::from(position.board())), 0);
    for w in std::env::var("S").unwrap().split_whitespace() {
        if let Some(ms) = w.strip_prefix('+') {
            wait(&mut t, &mut now, ms.parse().unwrap());
            continue;
        }
        let sq: Square = w[..2].parse().unwrap();
        let c = w.chars().nth(2).unwrap();
        let seen = match c {
            '-' => Seen::Empty,
            'o' => Seen::Occupied,
            c => Seen::Piece(Piece::from_char(c).unwrap()),
        };
        t.sense(&Sensed::Square(sq, seen), now);
        show(&mut t, w, now, false);
    }
    wait(&mut t, &mut now, 60000);
}
#[test]
fn pairs() {
    let g: usize = std::env::var("G").unwrap().parse().unwrap();
    let text = std::fs::read("tests/data/games/otb-2025.pgn").unwrap();
    let game = Games::new(&text[..]).nth(g).unwrap().unwrap();
    let mut position = Chess::default();
    let mut t = Tracker::new(Settings::default(), position.clone());
    let mut now = 0;
    t.sense(&Sensed::Placement(Placement::start()), 0);
    for (ply, w) in game.moves.iter().enumerate() {
        let m = w.san.san.to_move(&position).unwrap();
        position.play_unchecked(m);
        if ply % 2 == 1 {
            wait(&mut t, &mut now, 300);
            t.sense(&Sensed::Placement(Placement::from(position.board())), now);
            show(&mut t, &format!("{ply} {}", w.san), now, false);
        }
    }
}
#[test]
fn pairdiff() {
    let g: usize = std::env::var("G").unwrap().parse().unwrap();
    let text = std::fs::read("tests/data/games/otb-2025.pgn").unwrap();
    let game = Games::new(&text[..]).nth(g).unwrap().unwrap();
    let mut position = Chess::default();
    let mut t = Tracker::new(Settings::default(), position.clone());
    let mut now = 0;
    let mut truth = vec![];
    let mut got = vec![];
    t.sense(&Sensed::Placement(Placement::start()), 0);
    for (ply, w) in game.moves.iter().enumerate() {
        let m = w.san.san.to_move(&position).unwrap();
        position.play_unchecked(m);
        truth.push(m);
        if ply % 2 == 1 {
            let until = now + 300;
            while let Some(d) = t.deadline().filter(|d| *d <= until) {
                now = now.max(d);
                t.tick(now);
            }
            now = until;
            t.sense(&Sensed::Placement(Placement::from(position.board())), now);
            for r in t.readings() {
                if let Reading::Settled(s) = r {
                    got.push(s.m)
                }
            }
            if !truth.starts_with(&got) {
                println!("{ply} {} settled {}", w.san, got.len());
                println!(
                    "truth {:?}",
                    truth[got.len().saturating_sub(14)..]
                        .iter()
                        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
                        .collect::<Vec<_>>()
                );
                println!(
                    "got   {:?}",
                    got[got.len().saturating_sub(14)..]
                        .iter()
                        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
                        .collect::<Vec<_>>()
                );
                return;
            }
        }
    }
}
