//! The state of a game.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use shakmaty::Chess;

use super::{
    Adjustment, Alerts, BrokenAnnouncement, CanMate, ClaimRecord, ClockState, DecidedAfterEnd,
    EarlierLoss, GameResult, HeldResignation, Intrusion, JournalDown, LeftUndecided, Loss,
    MustPlay, Pause, PendingLoss, ProposedResult, RoleAnswer, Rules, SeenSquare, SettledBy, Side,
    Touched, Unconfirmed, numbers::Numbering, offer::OfferBook,
};
use remisd_dead::{Grounds, Verdict};
use remisd_hand::MismatchReason;
use remisd_laws::{AutomaticEnd, AutomaticKind, DrawState, History, LostBy, Ply, Regulations};
use remisd_vocabulary::{
    notation::{Counters, MoveText},
    sensor::{DownCode, Orientation},
};

/// Answers that are remembered, so that a command sent twice is done once.
pub(super) const ANSWERS: usize = 1024;
/// Bytes of answers that are carried into a new segment of the journal, about: its entries
/// are published, too, and must fit into a message.
pub(super) const ANSWERS_CARRIED: usize = 64 * 1024;

/// A move that has been made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Both notations.
    pub text: MoveText,
    /// What put it beyond doubt; `None` when it was revised.
    pub by: Option<SettledBy>,
    /// What the clock showed then.
    pub clock: Option<ClockState>,
    /// What the mover had touched before it, and with it, as far as the board has seen.
    pub(super) touched: Vec<Touched>,
}

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracking {
    /// Every square agrees with the game, as far as is known.
    Following,
    /// No legal move explains the squares.
    Mismatch(Mismatch),
    /// The game is over, or the players have shown a result: the board is not watched
    /// for moves.
    Resting,
}

/// How the board differs from the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Why.
    pub reason: MismatchReason,
    /// The squares.
    pub squares: Vec<SeenSquare>,
    /// The first ply that is not settled.
    pub since_ply: Ply,
    /// The first settled ply that may have been read wrongly, if one may.
    pub doubted_since: Option<Ply>,
    /// For an ambiguity: the lines that are all possible.
    pub candidates: Vec<Vec<MoveText>>,
}

/// Why a board does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDown {
    /// In a word; `None` in journals of versions that did not write it.
    pub code: Option<DownCode>,
    /// For people, in English.
    pub reason: String,
}

/// Claims that could have been made and cannot any more (9.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostClaims {
    /// The position in which they could be made.
    pub position: Chess,
    /// After which ply.
    pub ply: Ply,
    /// What could have been claimed.
    pub claims: Vec<remisd_laws::Claim>,
    /// What lost them.
    pub by: LostBy,
    /// The piece that was touched; `None` when a move lost them.
    pub touched: Option<Touched>,
}

/// The game at one board.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is true or not for itself"
)]
pub struct Game {
    pub(super) rules: Rules,
    /// The number of the last input.
    pub(super) seq: u64,
    /// The number of the input that brought the position on the board.
    pub(super) position_seq: u64,
    /// The number of the input with which the record of moves began.
    pub(super) record_seq: u64,
    /// The number of the last input that was more than a touch, a look or a clock.
    pub(super) changed_seq: u64,
    /// How each audience counts.
    pub(super) numbering: Numbering,
    /// When the last input came.
    pub(super) time: Timestamp,
    pub(super) number: u64,
    pub(super) regulations: Regulations,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) start: Chess,
    pub(super) history: History,
    pub(super) moves: Vec<Played>,
    pub(super) draw: DrawState,
    /// The automatic end that stands; kept even if play goes on.
    pub(super) ended: Option<(Ply, AutomaticEnd)>,
    /// The automatic end that came after the claim by which the game is drawn.
    pub(super) end_behind_claim: Option<(Ply, AutomaticEnd)>,
    pub(super) result: Option<GameResult>,
    pub(super) unconfirmed: Vec<Unconfirmed>,
    /// What earlier games have left undecided.
    pub(super) left_undecided: Vec<LeftUndecided>,
    pub(super) dead: Option<Verdict>,
    /// Why no side could mate in a position of this record, and after which ply.
    pub(super) grounds: Option<(Ply, Grounds)>,
    pub(super) can_mate: Option<CanMate>,
    pub(super) pending_loss: Option<PendingLoss>,
    /// A resignation that waits for what came before it.
    pub(super) held_resignation: Option<HeldResignation>,
    pub(super) offers: OfferBook,
    pub(super) claims: Vec<ClaimRecord>,
    /// The newest claim, if its announced move is not written down: nothing else has been
    /// claimed or played since, and the arbiter has not seen it.
    pub(super) unwritten: Option<ClaimRecord>,
    /// Claims without ground of White and of Black that the arbiter has seen.
    pub(super) groundless_seen: (usize, usize),
    pub(super) lost: Vec<LostClaims>,
    pub(super) must_play: Option<MustPlay>,
    pub(super) broken_announcement: Option<BrokenAnnouncement>,
    /// The same once the arbiter has acknowledged it.
    pub(super) announcement_seen: Option<BrokenAnnouncement>,
    pub(super) touched: Vec<Touched>,
    pub(super) adjusting: Option<Side>,
    pub(super) pause: Option<Pause>,
    pub(super) adjustments: Vec<Adjustment>,
    /// Illegal moves of White and of Black.
    pub(super) illegal_moves: (u32, u32),
    /// Whose illegal moves were ruled on, with the change of the clock that was ordered.
    pub(super) illegal_rulings: Vec<(Side, Option<Adjustment>)>,
    /// The newest claim that was ruled incorrect, with the change of the clock that was
    /// ordered for it.
    pub(super) claim_penalty: Option<(u64, Adjustment)>,
    /// The record began in mid-game, so earlier repetitions are not counted.
    pub(super) counts_restarted: bool,
    /// The same, for as long as the game lasts.
    pub(super) moves_left_out: bool,
    /// What the start of this record tells of the moves before it.
    pub(super) start_counters: Counters,
    /// The first end of this record by the Laws alone, kept also when the arbiter has
    /// overruled it.
    pub(super) first_end: Option<(Ply, AutomaticEnd)>,
    /// The ends that the arbiter has overruled, and where they stood.
    pub(super) overruled: Vec<(Ply, AutomaticKind)>,
    /// A player has offered, answered, claimed or resigned after an end that he had not
    /// been told of.
    pub(super) acted_after_end: bool,
    /// What players have decided between themselves after such an end.
    pub(super) decided_after_end: Option<DecidedAfterEnd>,
    /// The players show the result on the board that the game has already.
    pub(super) sign_shown: bool,
    /// The end after which the arbiter has seen that play goes on.
    pub(super) play_after_end_seen: Option<Ply>,
    /// The first end by the Laws alone before a position was set up in this game.
    pub(super) end_before_setup: Option<(Ply, AutomaticEnd)>,
    /// The position in which the newest claim was made.
    pub(super) claimed_in: Option<Chess>,
    /// The position was set up, and its move number tells how many moves were made.
    pub(super) taken_up: bool,
    /// Moves that each had made before, where that position does not tell.
    pub(super) moves_before: u32,
    pub(super) clock: Option<ClockState>,
    /// When it showed that.
    pub(super) clock_at: Option<Timestamp>,
    /// Since when it has run for the player who does not have the move.
    pub(super) wrong_clock_since: Option<Timestamp>,
    /// The fallen flag that the clock shows and that is no news: the arbiter has ruled that
    /// play goes on with it, or it fell in an earlier game.
    pub(super) known_flag: Option<Side>,
    pub(super) mismatch: Option<Mismatch>,
    /// Squares whose sensors are not listened to.
    pub(super) faulty: Vec<String>,
    /// Why the disk does not take the journal.
    pub(super) journal_down: Option<JournalDown>,
    /// Who gets into the daemon's way at the broker.
    pub(super) intrusion: Intrusion,
    /// The result that the players have shown on the board.
    pub(super) proposed: Option<ProposedResult>,
    /// The journal has lost entries, and what stands in those behind them may not follow again.
    pub(super) has_gap: bool,
    /// What was played in a gap could not be found: the position behind it is to be taken up.
    pub(super) has_lost_its_way: bool,
    /// The first ply that the journal may have lost.
    pub(super) missing_since: Option<Ply>,
    /// What the journal has lost and the arbiter has not seen.
    pub(super) loss: Option<Loss>,
    /// What it has lost of earlier games.
    pub(super) earlier_losses: Vec<EarlierLoss>,
    /// Up to which ply the arbiter has seen what was reconstructed.
    pub(super) reconstructed_seen: Ply,
    /// Up to which ply the arbiter has seen what was assumed.
    pub(super) assumed_seen: Ply,
    pub(super) link: Option<Result<(), LinkDown>>,
    pub(super) orientation: Option<Orientation>,
    pub(super) alerts: Alerts,
    pub(super) answers: VecDeque<RoleAnswer>,
}

impl Game {
    /// A board at which nothing has happened yet: the start array, number 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let start = Chess::default();
        let history = History::new(start.clone());
        let draw = history.draw_state(rules.regulations.edition);
        Self {
            regulations: rules.regulations.clone(),
            rules,
            seq: 0,
            position_seq: 0,
            record_seq: 0,
            changed_seq: 0,
            numbering: Numbering::default(),
            time: Timestamp::UNIX_EPOCH,
            number: 0,
            headers: BTreeMap::new(),
            start,
            history,
            moves: Vec::new(),
            draw,
            ended: None,
            end_behind_claim: None,
            result: None,
            unconfirmed: Vec::new(),
            left_undecided: Vec::new(),
            dead: None,
            grounds: None,
            can_mate: None,
            pending_loss: None,
            held_resignation: None,
            offers: OfferBook::default(),
            claims: Vec::new(),
            unwritten: None,
            groundless_seen: (0, 0),
            lost: Vec::new(),
            must_play: None,
            broken_announcement: None,
            announcement_seen: None,
            touched: Vec::new(),
            adjusting: None,
            pause: None,
            adjustments: Vec::new(),
            illegal_moves: (0, 0),
            illegal_rulings: Vec::new(),
            claim_penalty: None,
            counts_restarted: false,
            moves_left_out: false,
            start_counters: Counters::ALL,
            first_end: None,
            overruled: Vec::new(),
            acted_after_end: false,
            decided_after_end: None,
            sign_shown: false,
            play_after_end_seen: None,
            end_before_setup: None,
            claimed_in: None,
            taken_up: false,
            moves_before: 0,
            clock: None,
            clock_at: None,
            wrong_clock_since: None,
            known_flag: None,
            mismatch: None,
            faulty: Vec::new(),
            journal_down: None,
            intrusion: Intrusion::default(),
            proposed: None,
            has_gap: false,
            has_lost_its_way: false,
            missing_since: None,
            loss: None,
            earlier_losses: Vec::new(),
            reconstructed_seen: 0,
            assumed_seen: 0,
            link: None,
            orientation: None,
            alerts: Alerts::default(),
            answers: VecDeque::new(),
        }
    }
}
