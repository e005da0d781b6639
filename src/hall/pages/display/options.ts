/** The options in a screen's address: `?boards=b1,b2`, `?columns=4`, `?seconds=15`. */

export interface Options {
  /** Only these boards; all if empty. */
  boards: string[];
  columns: number | null;
  /** How long each page is shown, in seconds. */
  seconds: number;
  animate: boolean;
  theme: 'dark' | 'light';
}

function whole(text: string | null, least: number, most: number): number | null {
  const number = Math.round(Number(text ?? NaN));
  return Number.isFinite(number) && number >= least ? Math.min(most, number) : null;
}

export function readOptions(search: string): Options {
  const query = new URLSearchParams(search);
  return {
    boards: (query.get('boards') ?? '').split(',').filter((board) => /^[a-z0-9-]{1,32}$/.test(board)),
    columns: whole(query.get('columns'), 1, 20),
    seconds: whole(query.get('seconds'), 3, 3600) ?? 15,
    animate: query.get('anim') !== '0',
    theme: query.get('theme') === 'light' ? 'light' : 'dark',
  };
}
