//! The mates found, and their distances.

use super::*;
use remisd_vocabulary::notation::parse_position;

fn state(fen: &str) -> State {
    State::from(&parse_position(fen).unwrap())
}

fn casts(fen: &str) -> Vec<Aim> {
    nets(&state(fen), Color::White)
}

#[test]
fn bishop_and_knight_mate_in_a_corner_or_at_the_edge() {
    let root = state("8/8/8/2K5/2B5/2N5/2k5/8 w - - 0 1");
    let candidates = candidates(&root, Color::White);
    let nets = cast(&root, Color::White, &candidates);
    assert_eq!(nets.len(), MOST);
    for net in nets {
        let around = attacks::king_attacks(net.kings.loser);
        assert!(around.count() < 8, "{} is no edge", net.kings.loser);
        let mut roles: Vec<Role> = net.posts.iter().map(|posted| posted.man.role).collect();
        roles.sort();
        assert_eq!(roles, [Role::Knight, Role::Bishop]);
    }
}

#[test]
fn a_mate_is_nearest_to_itself() {
    let before = "7k/6pp/5N2/8/8/8/8/6RK w - - 0 1";
    let aims = casts(before);
    let mate = "R6k/6pp/5N2/8/8/8/8/7K b - - 0 1";
    let [near, nearest] = [before, mate].map(|fen| aims[0].nearness(&state(fen)));
    assert!(near < nearest);
    assert_eq!(nearest, 250, "no man has a way to go");
}

#[test]
fn a_pawn_that_is_to_promote_comes_nearer_by_its_pushes() {
    // Without a piece beside the king, a knight cannot mate.
    let pushes = [
        "7k/8/8/8/p7/8/8/2N3K1 w - - 0 1",
        "7k/8/8/8/8/p7/8/2N3K1 w - - 0 1",
        "7k/8/8/8/8/8/p7/2N3K1 w - - 0 1",
    ];
    let aims = casts(pushes[0]);
    assert!(!aims.is_empty());
    for aim in aims {
        let near = pushes.map(|fen| aim.nearness(&state(fen)));
        assert!(
            near.is_sorted_by(|before, after| before < after),
            "{near:?}"
        );
    }
}

#[test]
fn bare_kings_have_none() {
    assert!(casts("8/8/4k3/8/8/3K4/8/8 w - - 0 1").is_empty());
}
