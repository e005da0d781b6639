// Pairings of a round, read from a PGN, from a CSV or from pasted text. Pure: what cannot be read is named line by
// line, and nothing is guessed.

/** One game of the round, as it will stand in its headers. */
export interface Pairing {
  /** Where it stands in the text, counted from 1. */
  line: number;
  /** The board as it was written: its name or its number; empty where the order decides. */
  table: string;
  headers: Record<string, string>;
}

export type Trouble =
  'no_white' | 'no_black' | 'no_board' | 'unknown_board' | 'board_twice' | 'player_twice' | 'elo' | 'unreadable';

export interface Problem {
  line: number;
  trouble: Trouble;
  detail: string;
}

export interface Pairings {
  pairings: Pairing[];
  problems: Problem[];
}

/** Names of columns, in the three languages and as pairing programs write them. */
const COLUMNS: Record<string, string> = {
  board: 'board',
  bo: 'board',
  brett: 'board',
  br: 'board',
  bord: 'board',
  table: 'board',
  tisch: 'board',
  tafel: 'board',
  no: 'board',
  nr: 'board',
  white: 'White',
  weiss: 'White',
  weiß: 'White',
  wit: 'White',
  black: 'Black',
  schwarz: 'Black',
  zwart: 'Black',
  whiteelo: 'WhiteElo',
  welo: 'WhiteElo',
  elowhite: 'WhiteElo',
  eloweiss: 'WhiteElo',
  eloweiß: 'WhiteElo',
  elowit: 'WhiteElo',
  whiterating: 'WhiteElo',
  blackelo: 'BlackElo',
  belo: 'BlackElo',
  eloblack: 'BlackElo',
  eloschwarz: 'BlackElo',
  elozwart: 'BlackElo',
  blackrating: 'BlackElo',
  whitetitle: 'WhiteTitle',
  wtitle: 'WhiteTitle',
  titelweiss: 'WhiteTitle',
  titelwit: 'WhiteTitle',
  blacktitle: 'BlackTitle',
  btitle: 'BlackTitle',
  titelschwarz: 'BlackTitle',
  titelzwart: 'BlackTitle',
  whitefed: 'WhiteFed',
  wfed: 'WhiteFed',
  fedweiss: 'WhiteFed',
  fedwit: 'WhiteFed',
  whitefederation: 'WhiteFed',
  blackfed: 'BlackFed',
  bfed: 'BlackFed',
  fedschwarz: 'BlackFed',
  fedzwart: 'BlackFed',
  blackfederation: 'BlackFed',
  event: 'Event',
  round: 'Round',
  runde: 'Round',
  ronde: 'Round',
  date: 'Date',
  datum: 'Date',
  site: 'Site',
};

/** The order of columns where none are named. */
const PLAIN = ['board', 'White', 'Black', 'WhiteElo', 'BlackElo', 'WhiteTitle', 'BlackTitle', 'WhiteFed', 'BlackFed'];

/** Reads a PGN where there are tags, else lines of values. */
export function readPairings(input: string): Pairings {
  const text = input.replace(/^\uFEFF/, '');
  return /^\s*\[\s*\w+\s+"/m.test(text) ? readPgn(text) : readTable(text);
}

const TAG = /^\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$/;
const KEPT = new Set([
  ...Object.values(COLUMNS),
  'TimeControl',
  'WhiteFideId',
  'BlackFideId',
  'WhiteTeam',
  'BlackTeam',
]);

function readPgn(text: string): Pairings {
  const pairings: Pairing[] = [];
  const problems: Problem[] = [];
  let current: Pairing | null = null;
  text.split(/\r?\n/).forEach((line, i) => {
    const tag = TAG.exec(line);
    if (!tag) {
      if (/^\s*\[/.test(line)) problems.push({ line: i + 1, trouble: 'unreadable', detail: line.trim() });
      // Moves, comments or an empty line end the tags of a game.
      if (current) pairings.push(current);
      current = null;
      return;
    }
    current ??= { line: i + 1, table: '', headers: {} };
    const [, name = '', raw = ''] = tag;
    const value = raw.replace(/\\(.)/g, '$1').trim();
    if (name === 'Board' || name === 'Table') current.table = value;
    else if (KEPT.has(name) && value !== '' && value !== '?') current.headers[name] = value;
  });
  if (current) pairings.push(current);
  const own = pairings.filter(
    (pairing) => pairing.headers['White'] !== undefined || pairing.headers['Black'] !== undefined,
  );
  return { pairings: own, problems: [...problems, ...own.flatMap(checkOne)] };
}

function readTable(text: string): Pairings {
  const lines = text
    .split(/\r?\n/)
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== '' && !line.trim().startsWith('#'));
  const first = lines[0];
  if (!first) return { pairings: [], problems: [] };
  const mark = [';', '\t', ',', '|'].find((candidate) => first.line.includes(candidate)) ?? ',';
  const named = split(first.line, mark).map((name) => COLUMNS[name.toLowerCase().replace(/[\s_.-]/g, '')]);
  const hasNames = named.includes('White') && named.includes('Black');
  const columns = hasNames ? named : PLAIN;
  const pairings = lines.slice(hasNames ? 1 : 0).map(({ line, number }) => rowOf(split(line, mark), columns, number));
  return { pairings, problems: pairings.flatMap(checkOne) };
}

function rowOf(values: string[], columns: (string | undefined)[], line: number): Pairing {
  const pairing: Pairing = { line, table: '', headers: {} };
  values.forEach((value, i) => {
    const column = columns[i];
    if (!column || value === '') return;
    if (column === 'board') pairing.table = value;
    else pairing.headers[column] = value;
  });
  return pairing;
}

/** The values of a line; a value in quotes may hold the mark between them. */
function split(line: string, mark: string): string[] {
  const values: string[] = [];
  let value = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') {
      value += '"';
      i += 1;
    } else if (c === '"' && (quoted || value.trim() === '')) {
      quoted = !quoted;
    } else if (c === mark && !quoted) {
      values.push(value.trim());
      value = '';
    } else {
      value += c;
    }
  }
  return [...values, value.trim()];
}

function checkOne(pairing: Pairing): Problem[] {
  const problems: Problem[] = [];
  const { line, headers } = pairing;
  if (!headers['White']) problems.push({ line, trouble: 'no_white', detail: headers['Black'] ?? '' });
  if (!headers['Black']) problems.push({ line, trouble: 'no_black', detail: headers['White'] ?? '' });
  for (const tag of ['WhiteElo', 'BlackElo']) {
    const elo = headers[tag];
    if (elo !== undefined && !/^\d{1,4}$/.test(elo)) problems.push({ line, trouble: 'elo', detail: elo });
  }
  return problems;
}

export interface Seated {
  pairing: Pairing;
  board: string;
}

/** Gives each pairing its board; where none is written the order of the boards decides. */
export function seat(
  pairings: readonly Pairing[],
  boards: readonly string[],
): { seated: Seated[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const taken = new Map<string, number>();
  const players = new Map<string, number>();
  const seated: Seated[] = [];
  const byOrder = pairings.every((pairing) => pairing.table === '');
  pairings.forEach((pairing, i) => {
    const { line, table } = pairing;
    for (const tag of ['White', 'Black']) {
      const player = pairing.headers[tag]?.toLowerCase();
      if (!player) continue;
      if (players.has(player)) problems.push({ line, trouble: 'player_twice', detail: pairing.headers[tag] ?? '' });
      players.set(player, line);
    }
    const board = byOrder ? boards[i] : boardCalled(table, boards);
    if (board === undefined) {
      problems.push({ line, trouble: table ? 'unknown_board' : 'no_board', detail: table });
    } else if (taken.has(board)) {
      problems.push({ line, trouble: 'board_twice', detail: board });
    } else {
      taken.set(board, line);
      seated.push({ pairing, board });
    }
  });
  return { seated, problems };
}

/** A board by its name, or by a number that stands at the end of exactly one name. */
function boardCalled(table: string, boards: readonly string[]): string | undefined {
  const wanted = table.toLowerCase();
  const exact = boards.find((board) => board === wanted);
  if (exact !== undefined || !/^\d+$/.test(wanted)) return exact;
  const numbered = boards.filter((board) => Number(/(\d+)$/.exec(board)?.[1] ?? NaN) === Number(wanted));
  return numbered.length === 1 ? numbered[0] : undefined;
}
