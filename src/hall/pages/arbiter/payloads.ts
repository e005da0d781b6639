// The payloads of the topics, as far as the console reads them. See protocol/schema for all fields.

export type Side = 'white' | 'black';
export type Level = 'red' | 'amber' | 'grey';
export type Score = '1-0' | '0-1' | '1/2-1/2' | '0-0' | '*';

/** The envelope of every payload. */
export interface Envelope {
  seq: number;
  time: string;
  session?: string;
}

export interface Move {
  uci: string;
  san: string;
}

export interface Clocks {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
  flag?: Side | null;
}

export interface Result {
  score: Score;
  reason: string;
  confirmed: boolean;
  article?: string | null;
  ply?: number | null;
  announced?: Move | null;
}

export interface SeenSquare {
  square: string;
  expected?: string | null;
  seen?: string | null;
}

export interface Tracker {
  state: 'following' | 'mismatch' | 'blind' | 'resting';
  reason?: string | null;
  squares?: SeenSquare[];
}

/** The fields shared by `tile` and `game`. */
export interface Position extends Envelope {
  game: number;
  headers: Record<string, string>;
  fen: string;
  ply?: number | null;
  turn: Side;
  clocks?: Clocks | null;
  /** When the clock was read; absent if no clock has reported. */
  clocks_at?: string | null;
  tracker: Tracker;
  uncertain?: { since_ply?: number | null } | null;
  proposed_result?: { score: Score; sign: string; ply: number } | null;
  result?: Result | null;
}

export interface Tile extends Position {
  last?: Move | null;
}

export interface GameMove extends Move {
  clock_ms?: number | null;
  reconstructed?: boolean;
}

export interface Game extends Position {
  laws: string;
  rate: 'standard' | 'rapid' | 'blitz';
  start_fen: string;
  moves: GameMove[];
  offers?: { ply: number; by: Side }[];
}

export interface Alert {
  id: string;
  code: string;
  level: Level;
  since: string;
  article: string | null;
  arguments: Record<string, unknown>;
  text: Record<string, string>;
  acknowledged_by: string | null;
  acknowledged_at?: string | null;
  escalated?: boolean;
}

export interface Alerts extends Envelope {
  alerts: Alert[];
}

export type TimeChange =
  { change: 'none' } | { change: 'add'; ms: number } | { change: 'set'; ms: number } | { change: 'unknown' };

export interface Adjustment {
  id: string;
  reason: string;
  white: TimeChange;
  black: TimeChange;
}

export interface ClockTopic extends Envelope, Clocks {
  /** When the clock was read; absent if no clock has reported. */
  at?: string | null;
  paused: { reason: 'claim' | 'command'; by?: string | null; since: string } | null;
  adjustment: Adjustment | null;
}

export interface Link extends Envelope {
  up: boolean;
  kind: string;
  port: string;
  serial?: string | null;
  version?: string | null;
  battery?: number | null;
  confidence: 'certain' | 'moving' | 'uncertain' | 'blind';
  orientation: string;
  last_frame?: string | null;
  reason?: string | null;
  faulty_squares: string[];
  counters: Record<string, number>;
}

export interface Availability extends Envelope {
  state: 'online' | 'offline' | 'unconfigured' | 'fault';
  reason?: string | null;
}

export interface NodeState {
  node: string;
  session: string;
  time: string;
  state: 'online' | 'offline' | 'lost';
}

export interface Possible {
  article: string;
  basis: 'appeared' | 'intended';
  by: Side;
  kind: string;
  move?: Move | null;
  ends_game?: boolean;
}

export interface LostClaim extends Possible {
  ply: number;
  reason: 'move' | 'touch';
  square?: string | null;
}

export interface Touched {
  by: Side;
  square: string;
  ply: number;
  adjusting: boolean;
  by_arbiter: boolean;
  sure: boolean;
  time: string;
  move?: Move | null;
}

export interface ClaimRecord {
  id: number;
  by: Side;
  kind: 'threefold' | 'fifty_move' | 'quickplay' | 'increment';
  basis: 'appeared' | 'intended' | 'none';
  article: string;
  ply: number;
  time: string;
  move?: Move | null;
  finding: 'correct' | 'incorrect' | 'defective_not_written' | 'arbiter_decides' | null;
  plies?: number[];
  halfmove_clock: number;
  contested?: Touched | null;
  remarks?: string[];
  ruled_before?: { correct: boolean; by: string } | null;
}

export interface StandingOffer {
  by: Side;
  by_claim: boolean;
  ply: number;
  regular: boolean | null;
  restricted: boolean;
  times: number;
  condition?: string | null;
}

export interface Draw extends Envelope {
  game: number;
  ply: number;
  turn: Side;
  halfmove_clock: number;
  repetition: { count: number; plies: number[] };
  automatic?: { kind: string; article: string } | null;
  automatic_in: { occurrences: number | null; plies: number | null };
  claims: Possible[];
  arbiter_decides?: Possible[];
  offer?: StandingOffer | null;
  touched?: Touched[];
  claim?: ClaimRecord | null;
  must_play?: { by: Side; move: Move; legal: boolean; ply: number } | null;
  lost?: LostClaim[] | null;
  first_end?: { kind: string; article: string; ply: number; before_setup?: boolean } | null;
  dead?: string | null;
}

/** A fact or an input of the journal: its type and its fields. */
export interface JournalRecord {
  type: string;
  [field: string]: unknown;
}

export interface JournalEvent extends Envelope {
  input: JournalRecord;
  facts: JournalRecord[];
}

export function opponentOf(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}
