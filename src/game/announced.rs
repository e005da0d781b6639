//! Moves that were announced with a claim, and what is made instead (9.2, 9.3, 9.5).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

use super::{
    Fact, Game, RefusalCode, Side,
    command::{is_true, yes},
    obey::{Refused, shown},
};
use remisd_laws::Ply;
use remisd_vocabulary::notation::{self, MoveText};

/// A move as it was announced with a claim. It need not be legal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnnouncedMove {
    /// UCI; absent where a move that is not legal was announced in SAN: it has no squares.
    #[serde(
        default,
        deserialize_with = "only_uci",
        skip_serializing_if = "Option::is_none"
    )]
    uci: Option<String>,
    /// Standard algebraic notation in English letters; a move that is not legal stands here as
    /// it was announced.
    san: String,
}

impl AnnouncedMove {
    /// A move that is not legal, as it was announced in UCI or SAN.
    #[must_use]
    pub fn illegal(text: &str) -> Self {
        Self {
            uci: is_uci(text).then(|| text.to_owned()),
            san: text.to_owned(),
        }
    }

    /// Its squares in UCI, if they are known.
    #[must_use]
    pub fn uci(&self) -> Option<&str> {
        self.uci.as_deref()
    }

    /// SAN in English letters, or the text of a move that is not legal.
    #[must_use]
    pub fn san(&self) -> &str {
        &self.san
    }

    /// The more exact of the two: a text that names this move.
    #[must_use]
    pub fn text(&self) -> &str {
        self.uci().unwrap_or(&self.san)
    }
}

impl From<MoveText> for AnnouncedMove {
    fn from(legal: MoveText) -> Self {
        Self {
            uci: Some(legal.uci),
            san: legal.san,
        }
    }
}

fn is_uci(text: &str) -> bool {
    matches!(text.parse(), Ok(UciMove::Normal { .. }))
}

/// Journals of before say of a move that is not legal in `uci` what was announced.
fn only_uci<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| is_uci(text)))
}

/// A move that must be made now, because it was announced for an incorrect claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MustPlay {
    /// Who must make it.
    pub by: Side,
    /// The announced move.
    #[serde(rename = "move")]
    pub announced: AnnouncedMove,
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
    pub announced: AnnouncedMove,
    /// Whether that is legal; absent when it is. If not, another legal move with that piece had
    /// to be made.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub legal: bool,
    /// What was played.
    pub played: MoveText,
    /// At which ply.
    pub ply: Ply,
}

impl Game {
    /// Refuses to announce another move than the one that must be made: it cannot be
    /// changed, and with another kind of claim no less (9.2, 9.3, 9.5).
    pub(super) fn may_announce(&self, by: Color, announced: &AnnouncedMove) -> Result<(), Refused> {
        let Some(must) = self.must_play().filter(|must| must.by == Side::from(by)) else {
            return Ok(());
        };
        let m = notation::parse_move(announced.text(), self.position()).ok();
        if *announced == must.announced || keeps_to(&must.announced, must.legal, m, self.position())
        {
            return Ok(());
        }
        let article = self.regulations.edition.articles.claim_incorrect;
        let bound = shown(must.announced.san());
        let text = if must.legal {
            format!("{bound} was announced and must be made: no other move can be ({article})")
        } else {
            format!("{bound} was announced: only a move with that piece can be ({article})")
        };
        Err((RefusalCode::NotAdmissible, text))
    }

    /// What a move does to an announced one: it was made, or another alert is due.
    pub(super) fn check_announced(&mut self, mover: Color, played: &MoveText) -> Vec<Fact> {
        let Some(must) = self.must_play().filter(|must| must.by == Side::from(mover)) else {
            return Vec::new();
        };
        if has_kept_to(&must.announced, must.legal, played, self.position()) {
            return Vec::new();
        }
        let broken = BrokenAnnouncement {
            by: must.by,
            announced: must.announced.clone(),
            legal: must.legal,
            played: played.clone(),
            ply: must.ply,
        };
        self.announcement_broken(broken)
    }

    /// The move that must be made, and the position in which it was announced.
    pub(super) fn announced_before(&self) -> Option<(MustPlay, Chess)> {
        let must = self.must_play.clone()?;
        let history = self.replayed(must.ply - 1);
        (history.ply() + 1 == must.ply).then(|| (must, history.position().clone()))
    }

    /// The record was corrected: an announced move binds if its position still stands in it,
    /// and another one may have been made there.
    pub(super) fn keep_announced(&mut self, before: Option<(MustPlay, Chess)>) -> Vec<Fact> {
        let Some((must, position)) = before else {
            return Vec::new();
        };
        let stands =
            must.ply <= self.ply() + 1 && *self.replayed(must.ply - 1).position() == position;
        if !stands {
            return Vec::new();
        }
        self.must_play = Some(must.clone());
        self.check_played(must.by, must.announced, must.legal, must.ply - 1)
    }

    /// The record was corrected, and still another move was made instead, which the arbiter
    /// has acknowledged: he knows.
    pub(super) fn keep_acknowledged(&mut self, seen: Option<&BrokenAnnouncement>) {
        if seen.is_some() && self.broken_announcement.as_ref() == seen {
            self.announcement_seen = self.broken_announcement.take();
        }
    }

    /// A claim was rejected after play had gone on: the move that followed it should have
    /// been the announced one.
    pub(super) fn check_played(
        &mut self,
        by: Side,
        announced: AnnouncedMove,
        legal: bool,
        claimed_at: Ply,
    ) -> Vec<Fact> {
        let Some(played) = self.moves.get(claimed_at as usize) else {
            return Vec::new();
        };
        let before = self.replayed(claimed_at);
        if has_kept_to(&announced, legal, &played.text, before.position()) {
            return Vec::new();
        }
        let broken = BrokenAnnouncement {
            by,
            announced,
            legal,
            played: played.text.clone(),
            ply: claimed_at + 1,
        };
        self.announcement_broken(broken)
    }

    fn announcement_broken(&mut self, broken: BrokenAnnouncement) -> Vec<Fact> {
        self.broken_announcement = Some(broken.clone());
        vec![Fact::AnnouncedMoveNotPlayed(broken)]
    }
}

/// Whether the move that was played in `before` keeps to the announced one.
fn has_kept_to(announced: &AnnouncedMove, legal: bool, played: &MoveText, before: &Chess) -> bool {
    let m = played.uci.parse::<UciMove>().ok();
    let m = m.and_then(|m| m.to_move(before).ok());
    keeps_to(announced, legal, m, before)
}

/// Whether a move in `before` keeps to the announced one. An illegal one binds to its piece,
/// if that has a legal move (4.3). In SAN several pieces may be meant: then to any of those
/// that have one.
fn keeps_to(announced: &AnnouncedMove, legal: bool, m: Option<Move>, before: &Chess) -> bool {
    if legal {
        return m.is_some() && notation::parse_move(announced.text(), before).ok() == m;
    }
    let meant = notation::origins(announced.text(), before);
    let of_piece = |m: &Move| m.from().is_some_and(|from| meant.contains(from));
    m.as_ref().is_some_and(of_piece) || !before.legal_moves().iter().any(of_piece)
}
