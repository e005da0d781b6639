//! Possible mates on the board, nearest first.
//!
//! The search covers every square that the loser's king can reach. For each it covers every place
//! of the winner's king beside it, and every square from which a man of the winner gives check. The
//! nearest men of both sides then cover the remaining flight squares. Each resulting mate is a
//! target to steer for (the `aim` module). With few men on an open board some hundred positions
//! suffice to reach it, where a general plan would fail.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{
    aim::{Aim, MOST, Post, pawn_attacks, way},
    plan::Distances,
    state::{State, last_rank},
};

/// The greatest distance of a mate that is considered.
const FARTHEST: u32 = 60;
/// The extra distance of a mate that requires uninvolved men to move away.
const OTHERS: u32 = 3;
/// The number of arrangements after which the nearest found so far are used.
const ARRANGEMENTS: u32 = 6_000;

/// The distance between the kings at which both may cover flight squares.
const NEAR: u32 = 2;

/// A man, or a piece that a pawn may become.
struct Candidate {
    color: Color,
    role: Role,
    home: Square,
    /// The number of moves it needs to each square.
    far: Distances,
}

/// A candidate on its target square.
#[derive(Clone, Copy)]
struct Posted<'a> {
    man: &'a Candidate,
    to: Square,
}

/// The squares of the kings in a mate.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kings {
    /// The king that is mated.
    loser: Square,
    winner: Square,
}

/// A mate, with the total distance of all men from it.
struct Net<'a> {
    far: u32,
    kings: Kings,
    posts: Vec<Posted<'a>>,
}

impl Kings {
    /// The target of the winner's king; `None` if it stays far away where it is.
    fn place(self) -> Option<Square> {
        (self.loser.distance(self.winner) == NEAR).then_some(self.winner)
    }
}

/// The mates nearest to a position.
pub(super) fn nets(root: &State, winner: Color) -> Vec<Aim> {
    let candidates = candidates(root, winner);
    let nets = cast(root, winner, &candidates).into_iter();
    nets.map(|net| {
        let posts = net.posts.iter().map(|posted| Post {
            color: posted.man.color,
            ways: ways(root, posted.man, posted.to),
        });
        Aim::new(
            root,
            winner,
            net.kings.loser,
            net.kings.place(),
            posts.collect(),
        )
    })
    .collect()
}

/// The same mates, with each man on its post.
fn cast<'a>(root: &'a State, winner: Color, candidates: &'a [Candidate]) -> Vec<Net<'a>> {
    let mut caster = Caster {
        root,
        winner,
        candidates,
        pawns: pawn_attacks(root, winner),
        nets: Vec::new(),
        left: ARRANGEMENTS,
    };
    caster.cast();
    caster.nets
}

/// The men other than kings, and the pieces that unblocked pawns may become.
fn candidates(root: &State, winner: Color) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for home in root.occupied() & !root.all(Role::King) {
        let color = Color::from_white(root.of(Color::White).contains(home));
        let Some(role) = root.role_at(home) else {
            continue;
        };
        if role != Role::Pawn {
            candidates.push(Candidate {
                color,
                role,
                home,
                far: way(root, home, role, color),
            });
        } else if let Some((pushes, promotion)) = pushes(root, home, color) {
            let roles: &[Role] = if color == winner {
                &[Role::Queen, Role::Knight]
            } else {
                &[Role::Knight, Role::Bishop, Role::Rook]
            };
            candidates.extend(roles.iter().map(|role| Candidate {
                color,
                role: *role,
                home,
                far: way(root, promotion, *role, color).map(|far| far.saturating_add(pushes)),
            }));
        }
    }
    candidates
}

/// The number of pushes a pawn needs to promote, and its promotion square; `None` if another pawn
/// blocks it.
fn pushes(root: &State, home: Square, color: Color) -> Option<(u8, Square)> {
    let mut square = home;
    let mut pushes = 0;
    while !last_rank(color).contains(square) {
        square = square.offset(color.fold_wb(8, -8))?;
        if root.all(Role::Pawn).contains(square) {
            return None;
        }
        pushes += 1;
    }
    Some((pushes, square))
}

/// The distances of all men of one kind from a post.
fn ways(root: &State, man: &Candidate, to: Square) -> Vec<(Role, Distances)> {
    let own = way(root, to, man.role, man.color);
    let mut ways = vec![(man.role, own)];
    if root.all(Role::Pawn).contains(man.home) {
        let mut pawns = [u8::MAX; 64];
        let mut square = man.home;
        if let Some((mut left, promotion)) = pushes(root, man.home, man.color) {
            while square != promotion {
                pawns[usize::from(square)] = own[usize::from(promotion)].saturating_add(left);
                let Some(next) = square.offset(man.color.fold_wb(8, -8)) else {
                    break;
                };
                square = next;
                left -= 1;
            }
        }
        ways.push((Role::Pawn, pawns));
    }
    ways
}

/// The search for mates.
struct Caster<'a> {
    root: &'a State,
    winner: Color,
    candidates: &'a [Candidate],
    /// The squares attacked by the winner's pawns.
    pawns: Bitboard,
    /// The nearest mates so far, in order.
    nets: Vec<Net<'a>>,
    left: u32,
}

impl<'a> Caster<'a> {
    fn cast(&mut self) {
        let king = |color| way(self.root, self.root.king(color), Role::King, color);
        let (loser, winner) = (king(self.winner.other()), king(self.winner));
        let far = |distances: &Distances, square: Square| u32::from(distances[usize::from(square)]);
        let mut squares: Vec<Square> = Square::ALL.to_vec();
        squares.retain(|square| far(&loser, *square) < FARTHEST);
        // In a corner a king has the fewest flight squares.
        let edges =
            |square: Square| u32::try_from(attacks::king_attacks(square).count()).unwrap_or(8);
        squares.sort_by_key(|square| far(&loser, *square) + edges(*square));
        let home = self.root.king(self.winner);
        for square in squares {
            let places = Square::ALL.into_iter();
            let places = places.filter(|place| square.distance(*place) == NEAR);
            for place in places.chain(Some(home).filter(|home| square.distance(*home) > NEAR)) {
                let so_far = far(&loser, square) + far(&winner, place);
                if so_far < self.worst() {
                    let kings = Kings {
                        loser: square,
                        winner: place,
                    };
                    self.check(kings, so_far);
                }
            }
        }
    }

    /// The distance that a new mate must beat.
    fn worst(&self) -> u32 {
        let last = self.nets.get(MOST - 1);
        last.map_or(FARTHEST, |net| net.far)
    }

    /// Tries every check to the loser's king.
    fn check(&mut self, kings: Kings, so_far: u32) {
        let occupied = self.root.all(Role::Pawn).with(kings.winner);
        let covered = attacks::king_attacks(kings.winner) | self.pawns;
        let own = self.root.pieces(self.winner.other(), Role::Pawn);
        let flights = attacks::king_attacks(kings.loser) & !covered & !own;
        let (candidates, winner) = (self.candidates, self.winner);
        for man in candidates.iter().filter(|man| man.color == winner) {
            let from = attacks::attacks(kings.loser, man.role.of(man.color), occupied);
            for to in from & !occupied {
                let so_far = so_far + u32::from(man.far[usize::from(to)]);
                if so_far >= self.worst() || self.left == 0 {
                    continue;
                }
                let checker = Posted { man, to };
                let open = flights & !attacks_of(checker, occupied.with(to).without(kings.loser));
                self.block(kings, &[checker], open, so_far);
                if open.any() {
                    self.help(kings, checker, open, so_far);
                }
            }
        }
    }

    /// Adds a second man of the winner that covers flight squares.
    fn help(&mut self, kings: Kings, checker: Posted<'a>, open: Bitboard, so_far: u32) {
        let occupied = self
            .root
            .all(Role::Pawn)
            .with(kings.winner)
            .with(checker.to);
        let (candidates, winner) = (self.candidates, self.winner);
        let helpers = candidates
            .iter()
            .filter(|man| man.color == winner && man.home != checker.man.home);
        for man in helpers {
            if open.count() > self.blockers() + covers(man.role) {
                continue;
            }
            let piece = man.role.of(man.color);
            let places = open.into_iter().fold(Bitboard::EMPTY, |sum, flight| {
                sum | attacks::attacks(flight, piece, occupied)
            });
            for to in places & !occupied & !Bitboard::from(kings.loser) {
                let so_far = so_far + u32::from(man.far[usize::from(to)]);
                if so_far >= self.worst() || self.left == 0 {
                    continue;
                }
                let helper = Posted { man, to };
                let open = open & !attacks_of(helper, occupied.with(to).without(kings.loser));
                self.block(kings, &[checker, helper], open, so_far);
            }
        }
    }

    /// The number of flight squares that the loser's men can occupy.
    fn blockers(&self) -> usize {
        self.root.of(self.winner.other()).count() - 1
    }

    /// Puts the nearest men of the loser on the remaining flight squares.
    fn block(&mut self, kings: Kings, winners: &[Posted<'a>], open: Bitboard, mut far: u32) {
        self.left = self.left.saturating_sub(1);
        if open.count() > self.blockers() {
            return;
        }
        let loser = self.winner.other();
        let mut posts = winners.to_vec();
        for to in open {
            let free = self.candidates.iter().filter(|man| {
                man.color == loser && posts.iter().all(|posted| posted.man.home != man.home)
            });
            let Some(man) = free.min_by_key(|man| man.far[usize::from(to)]) else {
                return;
            };
            far += u32::from(man.far[usize::from(to)]);
            if far >= self.worst() {
                return;
            }
            posts.push(Posted { man, to });
        }
        let pieces = self.root.occupied() & !self.root.all(Role::Pawn);
        if !self.is_mate(kings, &posts, Bitboard::EMPTY) {
            far += OTHERS;
            if far >= self.worst() || !self.is_mate(kings, &posts, pieces) {
                return;
            }
        }
        self.take_down(Net { far, kings, posts });
    }

    /// Keeps the nearest mates. A different check with the same king squares is not a separate
    /// mate.
    fn take_down(&mut self, net: Net<'a>) {
        let is_same = |other: &Net| {
            (other.kings.loser, other.kings.place()) == (net.kings.loser, net.kings.place())
        };
        let mut others = self.nets.iter();
        if others.any(|other| is_same(other) && other.far <= net.far) {
            return;
        }
        self.nets.retain(|other| !is_same(other));
        let at = self.nets.partition_point(|other| other.far <= net.far);
        self.nets.insert(at, net);
        self.nets.truncate(MOST);
    }

    /// Whether it is mate with all men on their posts and the men in `gone` removed.
    fn is_mate(&self, kings: Kings, posts: &[Posted], gone: Bitboard) -> bool {
        let loser = self.winner.other();
        let homes: Bitboard = posts.iter().map(|posted| posted.man.home).collect();
        let gone = gone | homes | self.root.all(Role::King);
        let posted = posts.iter();
        let posted = posted.map(|posted| (posted.man.color, posted.man.role, posted.to));
        let men = posted.chain([
            (loser, Role::King, kings.loser),
            (self.winner, Role::King, kings.winner),
        ]);
        let state = self.root.arranged(gone, men, loser);
        !state.is_attacked(kings.winner, loser) && state.is_mate()
    }
}

/// The most squares around a king that a man attacks from a distance.
const fn covers(role: Role) -> usize {
    match role {
        Role::Queen => 6,
        Role::Rook => 3,
        _ => 2,
    }
}

fn attacks_of(posted: Posted, occupied: Bitboard) -> Bitboard {
    let Candidate { role, color, .. } = posted.man;
    attacks::attacks(posted.to, role.of(*color), occupied)
}

#[cfg(test)]
mod tests;
