// The results on the boards as a table, with the columns of `remisd results --format csv` but for the
// event, which tiles do not have.

import type { Board } from './hall';
import type { Position, Result } from './payloads';

const COLUMNS = [
  'Round',
  'Board',
  'White',
  'White FideId',
  'Black',
  'Black FideId',
  'Result',
  'Status',
  'Provisional',
  'Reason',
];

/** Ends that other moves would not have brought: players and arbiters decide them. */
const DECIDED = new Set(['agreement', 'resignation', 'illegal_move', 'illegal_position', 'quickplay', 'arbiter']);

/** The games on the boards, in their order. A game without a certain result has `*`. */
export function resultTable(boards: readonly Board[]): string {
  const lines = boards.flatMap((board) => {
    const game = board.tile?.payload;
    return game ? [line(board, game)] : [];
  });
  return [COLUMNS, ...lines].map((values) => `${values.map(cell).join(';')}\n`).join('');
}

function line(board: Board, game: Position): string[] {
  const tag = (name: string): string => game.headers[name] ?? '';
  const result = game.result && game.result.score !== '*' ? game.result : null;
  const status = result ? statusOf(board, game, result) : 'open';
  const isCertain = status === 'confirmed';
  return [
    /^\d*/.exec(tag('Round').trim())?.[0] ?? '',
    tag('Board') || board.name,
    tag('White'),
    tag('WhiteFideId'),
    tag('Black'),
    tag('BlackFideId'),
    isCertain && result ? result.score : '*',
    status,
    !isCertain && result ? result.score : '',
    result?.reason ?? '',
  ];
}

/** What a computer that is out of reach has said last may be out of date. */
function statusOf(board: Board, game: Position, result: Result): string {
  if (!result.confirmed) return 'unconfirmed';
  const isDoubted = game.uncertain && !DECIDED.has(result.reason);
  const isOld = board.doubt?.startsWith('node_') ?? false;
  return isDoubted || isOld ? 'uncertain' : 'confirmed';
}

/** What a spreadsheet would run as a formula. A dash or a number is none. */
const FORMULA = /^(?:[=@]|[+-](?!\d*$))/;

/** A value on one line, which no spreadsheet runs. Names contain commas, so semicolons part the values. */
function cell(value: string): string {
  const line = value.replace(/\p{Cc}+/gu, ' ').trim();
  const text = FORMULA.test(line) ? `'${line}` : line;
  return /[";]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves a text as a file on this device. */
export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
