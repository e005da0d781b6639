/** Who plays, from the PGN tags of a game. */

import type { Side } from './topics';
import { v } from './vocabulary';

export interface Player {
  /** As in the tag, usually surname first; the colour's name where there is none. */
  name: string;
  /** Whether the tags have the name. */
  named: boolean;
  title: string;
  rating: string;
  federation: string;
}

const known = (text: string | undefined): string => (text === undefined || /^[?\-\s]*$/.test(text) ? '' : text.trim());

/** A side's player. What a tag does not tell is empty. */
export function playerOf(headers: Record<string, string> | undefined, side: Side): Player {
  const prefix = side === 'white' ? 'White' : 'Black';
  const tag = (name: string): string => known(headers?.[`${prefix}${name}`]);
  const name = tag('');
  return {
    name: name === '' ? v(side) : name,
    named: name !== '',
    title: tag('Title'),
    rating: tag('Elo') === '0' ? '' : tag('Elo'),
    federation: (tag('Fed') || tag('Team')).slice(0, 24),
  };
}

/** The surname, for where there is little room: what stands before the comma. */
export function surname(player: Player): string {
  return player.name.split(',')[0] ?? player.name;
}

/** The table's number from the tag `Board`, else from the board's own name: `b12` stands at table 12. */
export function tableOf(headers: Record<string, string> | undefined, board: string): string {
  return known(headers?.['Board']) || (/^[a-z]*0*(\d+)$/.exec(board)?.[1] ?? board);
}
