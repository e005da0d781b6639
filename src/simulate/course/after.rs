//! What players do with the pieces when the game is over.

use shakmaty::{Board, Chess, Color, Move, Piece, Position, Role, Square};

use super::{Act, Course, MS, Mark};
use crate::simulate::hand::Gesture;

/// The light squares in the centre: both kings there mean that White has won.
const LIGHT: [Square; 2] = [Square::D5, Square::E4];
/// The dark ones: Black has won. One king on a light and one on a dark square mean a draw.
const DARK: [Square; 2] = [Square::D4, Square::E5];

/// What is done after a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// The kings show the result.
    Sign,
    /// The same; then the game is analysed.
    Analysis,
    /// The pieces are cleared away.
    Clearing,
    /// Nothing.
    Nothing,
}

impl Course<'_> {
    /// Plans what follows the last ply.
    pub(super) fn after_game(&mut self, result: &str) {
        let shown = match result {
            "1-0" => Some(Some(Color::White)),
            "0-1" => Some(Some(Color::Black)),
            "1/2-1/2" => Some(None),
            _ => None,
        };
        let what = match self.hand.dice.weigh(&[50, 15, 20, 15]) {
            0 if shown.is_some() => After::Sign,
            1 if shown.is_some() => After::Analysis,
            // The Laws end these games, and the players leave.
            _ if self.position.is_game_over() => After::Clearing,
            2 => After::Clearing,
            _ => After::Nothing,
        };
        if what == After::Nothing {
            return;
        }
        let rest = self.hand.dice.ms((1_500, 6_000));
        self.after(rest, Act::Mark(Mark::After));
        let mut board = self.position.board().clone();
        if let (After::Sign | After::Analysis, Some(winner)) = (what, shown) {
            self.sign(&mut board, winner);
            if what == After::Sign && self.hand.dice.chance(4_000) {
                return; // the board is left as it is
            }
        }
        if what == After::Analysis {
            self.analysis(&mut board);
        }
        let rest = self.hand.dice.ms((500, 4_000));
        self.busy_until += rest;
        let gestures = self.hand.set_up(&board, &Board::new());
        self.do_all(&mut board, gestures);
    }

    fn do_all(&mut self, board: &mut Board, gestures: Vec<Gesture>) {
        for gesture in gestures {
            self.put(board, gesture.after_us, gesture.square, gesture.piece);
        }
    }

    fn put(&mut self, board: &mut Board, after_us: u64, square: Square, piece: Option<Piece>) {
        match piece {
            Some(piece) => board.set_piece_at(square, piece),
            None => board.discard_piece_at(square),
        }
        self.after(after_us, Act::Put(square, piece));
    }

    fn step(&mut self, board: &mut Board, square: Square, piece: Option<Piece>) {
        let wait = self.hand.dice.ms((250, 900));
        self.put(board, wait, square, piece);
    }

    /// Puts both kings on the squares that show the result.
    fn sign(&mut self, board: &mut Board, winner: Option<Color>) {
        let Some((first, second)) = self.squares(winner) else {
            return;
        };
        let kings = [first, second].map(|(color, to)| {
            let king = Role::King.of(color);
            (king, board.king_of(color), to)
        });
        // Any other piece on those squares is in the way.
        for (_, from, to) in kings {
            if from != Some(to)
                && board
                    .piece_at(to)
                    .is_some_and(|other| other.role != Role::King)
            {
                self.step(board, to, None);
            }
        }
        let crossed = kings[0].1 == Some(kings[1].2) || kings[1].1 == Some(kings[0].2);
        if crossed || self.hand.dice.chance(3_000) {
            for (_, from, _) in kings {
                if let Some(from) = from {
                    self.step(board, from, None);
                }
            }
            for (king, _, to) in kings {
                self.step(board, to, Some(king));
            }
        } else {
            for (king, from, to) in kings {
                if from == Some(to) {
                    continue;
                }
                if let Some(from) = from {
                    self.step(board, from, None);
                }
                self.step(board, to, Some(king));
            }
        }
        self.after(0, Act::Mark(Mark::Shown(winner)));
        let stay = self.hand.dice.ms((5_500, 9_000));
        self.busy_until += stay;
    }

    /// Chooses which king goes where, the first one first. Half the time its step is a legal move,
    /// if there is one.
    fn squares(&mut self, winner: Option<Color>) -> Option<((Color, Square), (Color, Square))> {
        let pairs: Vec<[Square; 2]> = match winner {
            Some(Color::White) => vec![LIGHT],
            Some(Color::Black) => vec![DARK],
            None => (LIGHT.into_iter())
                .flat_map(|light| DARK.map(|dark| [light, dark]))
                .collect(),
        };
        let mut ways = Vec::new();
        for [one, other] in pairs {
            for color in Color::ALL {
                ways.push(((color, one), (!color, other)));
                ways.push(((color, other), (!color, one)));
            }
        }
        let legal: Vec<_> = (ways.iter().copied())
            .filter(|((color, to), _)| {
                *color == self.position.turn()
                    && (self.position.legal_moves().iter())
                        .any(|m| m.role() == Role::King && !m.is_castle() && m.to() == *to)
            })
            .collect();
        let dice = &mut self.hand.dice;
        if !legal.is_empty() && dice.chance(5_000) {
            return dice.pick(&legal);
        }
        dice.pick(&ways)
    }

    /// Puts the kings back, tries moves and takes them back.
    fn analysis(&mut self, board: &mut Board) {
        let home = self.hand.set_up(board, self.position.board());
        self.do_all(board, home);
        let mut line = vec![self.position.clone()];
        for _ in 0..self.hand.dice.ms((3, 10)) / MS {
            self.busy_until += self.hand.dice.ms((400, 4_000));
            let now = line.last().cloned().unwrap_or_default();
            if line.len() > 1 && self.hand.dice.chance(3_000) {
                line.pop();
                let before = line.last().cloned().unwrap_or_default();
                let gestures = self.hand.set_up(board, before.board());
                self.do_all(board, gestures);
                continue;
            }
            // Sometimes a player moves twice in a row.
            let twice = self.hand.dice.chance(1_500);
            let from: Chess = if twice {
                now.clone().swap_turn().unwrap_or(now)
            } else {
                now
            };
            let moves: Vec<Move> = from.legal_moves().into_iter().collect();
            let Some(m) = self.hand.dice.pick(&moves) else {
                continue;
            };
            let gestures = self.hand.ply(&from, m);
            self.do_all(board, gestures);
            if let Ok(after) = from.play(m) {
                line.push(after);
            }
        }
    }
}
