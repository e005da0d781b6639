/**
 * The payloads of the topics, as the pages read them. Fields missing for some audience are
 * optional.
 */

export type Side = 'white' | 'black';
export type Audience = 'public' | 'hall' | 'player' | 'operator' | 'arbiter';
export type Role = 'arbiter' | 'operator' | 'hall' | 'white' | 'black' | 'clock';
export type Score = '1-0' | '0-1' | '1/2-1/2' | '0-0' | '*';

export const SIDES: readonly Side[] = ['white', 'black'];

/** The other side. */
export function opponent(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}

export interface Envelope {
  schema: string;
  site: string;
  board: string;
  session: string;
  seq: number;
  time: string;
}

export interface MoveName {
  uci: string;
  san: string;
}

export interface GameMove extends MoveName {
  clock_ms?: number | null;
  reconstructed?: boolean;
}

export interface ClockState {
  white_ms: number;
  black_ms: number;
  running: Side | null;
  flag?: Side | null;
}

export interface GameResult {
  score: Score;
  reason: string;
  article?: string | null;
  confirmed: boolean;
  ply?: number | null;
  announced?: MoveName | null;
}

export interface Tracker {
  state: 'following' | 'mismatch' | 'blind' | 'resting';
  reason?: string | null;
  squares?: { square: string; expected: string | null; seen: string | null }[];
}

export interface ProposedResult {
  score: Score;
  sign: 'kings' | 'result_piece';
  ply: number;
}

/** `remisd/game/1`. */
export interface Game extends Envelope {
  game: number;
  headers: Record<string, string>;
  laws: string;
  rate: 'standard' | 'rapid' | 'blitz';
  start_fen: string;
  fen: string;
  turn: Side;
  moves: GameMove[];
  tracker: Tracker;
  result: GameResult | null;
  clocks?: ClockState | null;
  /** When the clock was read; absent if no clock has reported. */
  clocks_at?: string | null;
  offers?: { ply: number; by: Side }[];
  ply?: number | null;
  proposed_result?: ProposedResult | null;
  uncertain?: { since_ply?: number | null } | null;
}

/** `<board>/tile`: derived by the server from `game`, for a console with many boards. */
export interface Tile {
  seq: number;
  time: string;
  game: number;
  headers: Record<string, string>;
  fen: string;
  ply?: number | null;
  turn: Side;
  last: MoveName | null;
  clocks: ClockState | null;
  clocks_at?: string | null;
  tracker: Tracker;
  uncertain: { since_ply?: number | null } | null;
  proposed_result: ProposedResult | null;
  result: GameResult | null;
}

export interface Claim {
  by: Side;
  kind: 'threefold' | 'fifty_move';
  basis: 'appeared' | 'intended';
  article: string;
  move?: MoveName | null;
  ends_game?: boolean;
}

/** `remisd/draw/1` as the public receives it. The arbiter's has more fields. */
export interface Draw extends Envelope {
  game: number;
  ply: number;
  turn: Side;
  fen: string;
  laws: string;
  move: MoveName | null;
  repetition?: { count: number; plies: number[] };
  halfmove_clock?: number;
  claims?: Claim[];
  automatic?: { kind: string; article: string } | null;
  automatic_in?: { plies: number | null; occurrences: number | null } | null;
}

/** `remisd/offer/1`: the standing draw offer. */
export interface Offer extends Envelope {
  by: Side;
  by_claim: boolean;
  ply?: number | null;
  regular?: boolean | null;
  times?: number | null;
}

export type TimeChange = { change: 'none' | 'unknown' } | { change: 'add' | 'set'; ms: number };

/** `remisd/clock/1`: the state of the clock and what the Laws require of it now. */
export interface Clock extends Envelope {
  white_ms: number | null;
  black_ms: number | null;
  running: Side | null;
  flag?: Side | null;
  /** When the clock was read; absent if no clock has reported. */
  at?: string | null;
  paused: { reason: 'claim' | 'command'; by?: string | null; since: string } | null;
  adjustment: { id: string; white: TimeChange; black: TimeChange; reason: string } | null;
  /** The players; absent while neither name is known. */
  players?: { white: string | null; black: string | null } | null;
  /** What the players have agreed; absent while they play. */
  decided?: 'agreement' | 'resignation' | null;
}

/** `remisd/result/1`. */
export interface Result extends Envelope, GameResult {}

/** `remisd/availability/1`. */
export interface Availability extends Envelope {
  state: 'online' | 'offline' | 'unconfigured' | 'fault';
  reason?: string | null;
}

/** `node/<node>/state`. */
export interface NodeState {
  site: string;
  node: string;
  session: string;
  time: string;
  state: 'online' | 'offline' | 'lost';
}
