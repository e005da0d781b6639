//! Moves that were announced with a claim, and what is made instead (9.2, 9.3, 9.5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};

use super::{Fact, Game, Side};
use crate::{
    laws::{Ply, Remark},
    notation::{self, MoveText},
};

/// A move that must be made now, because it was announced for an incorrect claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MustPlay {
    /// Who must make it.
    pub by: Side,
    /// The announced move.
    #[serde(rename = "move")]
    pub announced: MoveText,
    /// Whether it is legal. If not, another legal move with that piece must be made.
    pub legal: bool,
    /// The ply that it must be.
    pub ply: Ply,
}

/// Another move was made than the one that was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenAnnouncement {
    /// By whom.
    pub by: Side,
    /// What was announced.
    pub announced: MoveText,
    /// What was played.
    pub played: MoveText,
    /// At which ply.
    pub ply: Ply,
}

impl Game {
    /// What a move does to an announced one: it was made, or another alert is due.
    pub(super) fn check_announced(
        &mut self,
        mover: Color,
        m: Move,
        played: &MoveText,
    ) -> Vec<Fact> {
        let Some(must) = self.must_play().filter(|must| must.by == Side::from(mover)) else {
            return Vec::new();
        };
        let kept = if must.legal {
            must.announced.uci == played.uci
        } else {
            self.keeps_to_piece(must, m)
        };
        if kept {
            return Vec::new();
        }
        let broken = BrokenAnnouncement {
            by: must.by,
            announced: must.announced.clone(),
            played: played.clone(),
            ply: must.ply,
        };
        self.broken_announcement = Some(broken.clone());
        vec![Fact::AnnouncedMoveNotPlayed(broken)]
    }

    /// An illegal announced move binds to its piece, if that has a legal move (4.3). In
    /// SAN several pieces may be meant: then to any of those that have one.
    fn keeps_to_piece(&self, must: &MustPlay, m: Move) -> bool {
        let meant = notation::origins(&must.announced.uci, self.position());
        let of_piece = |m: &Move| m.from().is_some_and(|from| meant.contains(from));
        of_piece(&m) || !self.position().legal_moves().iter().any(of_piece)
    }

    /// A claim was rejected after play had gone on: the move that followed it should have
    /// been the announced one.
    pub(super) fn check_played(
        &mut self,
        by: Side,
        announced: MoveText,
        remarks: &[Remark],
        claimed_at: Ply,
    ) -> Vec<Fact> {
        let Some(played) = self.moves.get(claimed_at as usize) else {
            return Vec::new();
        };
        let played = played.text.clone();
        let kept = if remarks.contains(&Remark::AnnouncedMoveIllegal) {
            let history = self.replayed(claimed_at);
            let position = history.position();
            let meant = notation::origins(&announced.uci, position);
            let of_piece = |m: &Move| m.from().is_some_and(|from| meant.contains(from));
            let m = played.uci.parse::<shakmaty::uci::UciMove>().ok();
            let m = m.and_then(|m| m.to_move(position).ok());
            m.is_some_and(|m| of_piece(&m)) || !position.legal_moves().iter().any(of_piece)
        } else {
            announced.uci == played.uci
        };
        if kept {
            return Vec::new();
        }
        let broken = BrokenAnnouncement {
            by,
            announced,
            played,
            ply: claimed_at + 1,
        };
        self.broken_announcement = Some(broken.clone());
        vec![Fact::AnnouncedMoveNotPlayed(broken)]
    }
}
