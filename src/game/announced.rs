//! Moves that were announced with a claim, and what is made instead (9.2, 9.3, 9.5).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

use super::{
    Fact, Game, Refusal, Side,
    claim_shift::ClaimShift,
    command::{is_true, yes},
    refusal::truncated,
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
    /// Standard algebraic notation in English letters; a move that is not legal is given as it was
    /// announced.
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

/// Journals of earlier versions repeat the announced text in `uci` where the move is not legal.
fn only_uci<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| is_uci(text)))
}

/// A move that must be made now, because it was announced for an incorrect claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MustPlay {
    /// The player who must make it.
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

/// The move that must be made, and whether another one was made instead.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Announcements {
    must_play: Option<MustPlay>,
    /// A move that must be made, and the position in which it was announced. The hands have taken
    /// back the ply before it, and may come to that position again.
    waiting: Option<(MustPlay, Chess)>,
    broken: Option<BrokenAnnouncement>,
    /// The broken announcement that the arbiter has acknowledged.
    broken_seen: Option<BrokenAnnouncement>,
}

impl Announcements {
    /// The move that must be made, at whichever ply.
    pub(super) const fn must_play(&self) -> Option<&MustPlay> {
        self.must_play.as_ref()
    }

    /// Another move than the announced one, until the arbiter acknowledges it.
    pub(super) const fn broken(&self) -> Option<&BrokenAnnouncement> {
        self.broken.as_ref()
    }

    /// An announced move binds.
    pub(super) fn bind(&mut self, must: MustPlay) {
        self.must_play = Some(must);
    }

    /// The hands have taken back the ply before an announced move.
    pub(super) fn wait_for_position(&mut self, announced: Option<(MustPlay, Chess)>) {
        if announced.is_some() && self.must_play.is_none() {
            self.waiting = announced;
        }
    }

    /// A correction moves the claim to which the announced move belongs.
    pub(super) fn shift(&mut self, shift: ClaimShift) {
        if let Some(must) = &mut self.must_play {
            must.ply = shift.shifted(must.ply);
        }
    }

    /// The claim for which a move was announced is open again: the move no longer binds.
    pub(super) fn release(&mut self) {
        self.must_play = None;
        self.waiting = None;
        self.broken = None;
    }

    /// Moves are taken back to after `to_ply`.
    pub(super) fn take_back_to(&mut self, to_ply: Ply) {
        self.broken.take_if(|broken| broken.ply > to_ply);
        self.broken_seen.take_if(|seen| seen.ply > to_ply);
        self.must_play.take_if(|must| must.ply > to_ply + 1);
    }

    /// The arbiter acknowledges that another move was made.
    pub(super) fn acknowledge(&mut self) {
        self.broken_seen = self.broken.take();
    }

    /// Forgets that another move was made before the record is corrected. Returns what the arbiter
    /// has acknowledged of it.
    pub(super) fn reconsider(&mut self) -> Option<BrokenAnnouncement> {
        self.broken = None;
        self.broken_seen.take()
    }

    /// What the arbiter had acknowledged before a correction stays acknowledged if it is the same.
    pub(super) fn keep_acknowledged(&mut self, seen: Option<&BrokenAnnouncement>) {
        if seen.is_some() && self.broken.as_ref() == seen {
            self.acknowledge();
        }
    }

    fn breach(&mut self, must: MustPlay, played: MoveText) -> Vec<Fact> {
        let MustPlay {
            by,
            announced,
            legal,
            ply,
        } = must;
        let broken = BrokenAnnouncement {
            by,
            announced,
            legal,
            played,
            ply,
        };
        self.broken = Some(broken.clone());
        vec![Fact::AnnouncedMoveNotPlayed(broken)]
    }
}

impl Game {
    /// The move that must be made because it was announced.
    #[must_use]
    pub fn must_play(&self) -> Option<&MustPlay> {
        let next = self.ply() + 1;
        let must = self.announced.must_play();
        must.filter(|must| must.ply == next)
    }

    /// Refuses to announce another move than the one that must be made, whatever kind of claim it
    /// is for: an announced move cannot be changed (9.2, 9.3, 9.5).
    pub(super) fn may_announce(&self, by: Color, announced: &AnnouncedMove) -> Result<(), Refusal> {
        let Some(must) = self.must_play().filter(|must| must.by == Side::from(by)) else {
            return Ok(());
        };
        let m = notation::parse_move(announced.text(), self.position()).ok();
        if *announced == must.announced || must.is_kept_by(m, self.position()) {
            return Ok(());
        }
        let article = self.regulations.edition.articles.claim_incorrect;
        let bound = truncated(must.announced.san());
        Err(Refusal::not_admissible(if must.legal {
            format!("{bound} was announced and must be made: no other move can be ({article})")
        } else {
            format!("{bound} was announced: only a move with that piece can be ({article})")
        }))
    }

    /// What a move does to an announced one: it was made, or another alert is due.
    pub(super) fn check_announced(&mut self, m: Move, played: &MoveText) -> Vec<Fact> {
        let by = Side::from(self.turn());
        let must = self.must_play().filter(|must| must.by == by);
        let Some(must) = must.filter(|must| !must.is_kept_by(Some(m), self.position())) else {
            return Vec::new();
        };
        let must = must.clone();
        self.announced.breach(must, played.clone())
    }

    /// The move that must be made, and the position in which it was announced.
    pub(super) fn announced_before(&self) -> Option<(MustPlay, Chess)> {
        let must = self.announced.must_play()?;
        let history = self.record.replayed(must.ply - 1);
        (history.ply() + 1 == must.ply).then(|| (must.clone(), history.position().clone()))
    }

    /// A move was made after others were taken back. If the position of an announced move is there
    /// again, that move binds again.
    pub(super) fn duty_reached(&mut self) {
        let next = self.ply() + 1;
        let waiting = &mut self.announced.waiting;
        waiting.take_if(|(must, _)| must.ply < next);
        let position = self.record.position();
        let reached = waiting.take_if(|(must, at)| must.ply == next && at == position);
        if let Some((must, _)) = reached {
            self.announced.bind(must);
        }
    }

    /// The record was corrected. An announced move binds if its position is still in the record,
    /// and another one may have been made there.
    pub(super) fn keep_announced(&mut self, before: Option<(MustPlay, Chess)>) -> Vec<Fact> {
        let Some((must, position)) = before else {
            return Vec::new();
        };
        let replayed = self.record.replayed(must.ply - 1);
        if must.ply > self.ply() + 1 || *replayed.position() != position {
            return Vec::new();
        }
        self.announced.bind(must.clone());
        self.check_played(must)
    }

    /// A claim was rejected after play had continued: the move that followed it should have
    /// been the announced one.
    pub(super) fn check_played(&mut self, must: MustPlay) -> Vec<Fact> {
        let claimed_at = must.ply - 1;
        let Some(played) = self.moves().get(claimed_at as usize) else {
            return Vec::new();
        };
        let before = self.record.replayed(claimed_at);
        if must.is_kept_by(Some(played.m), before.position()) {
            return Vec::new();
        }
        let played = played.text.clone();
        self.announced.breach(must, played)
    }
}

impl MustPlay {
    /// Whether a move in `before` keeps to the announced one.
    ///
    /// An illegal one binds to its piece, if that has a legal move (4.3). In SAN several pieces may
    /// be meant: then to any of those that have one.
    fn is_kept_by(&self, m: Option<Move>, before: &Chess) -> bool {
        if self.legal {
            return m.is_some() && notation::parse_move(self.announced.text(), before).ok() == m;
        }
        let meant = notation::origins(self.announced.text(), before);
        let of_piece = |m: &Move| m.from().is_some_and(|from| meant.contains(from));
        m.as_ref().is_some_and(of_piece) || !before.legal_moves().iter().any(of_piece)
    }
}
