// The record of the game: correct moves, set up a position, enter names, begin a new game.

import { sanFrom } from '../../lib/notation';
import { h } from '../../lib/dom';
import { ask } from '../ask';
import { choose, select, text } from '../fields';
import { asItIs } from './claim';
import { EDITIONS } from '../laws';
import type { Alert, Game } from '../payloads';
import { san, t, textOf } from '../say';
import type { Subject } from '../subject';

/** The moves in a typed text; move numbers and marks are ignored. */
export function movesFrom(typed: string): string[] {
  const words = typed.replace(/\d+\s*(\.+|…)/g, ' ').split(/[\s,;]+/);
  return words.filter((word) => word !== '' && !/^(\(=\)|=|[!?]+)$/.test(word)).map((word) => sanFrom(word));
}

/** `12… Nf6` for the position after the ply with that number. */
export function plyText(game: Game | undefined, ply: number): string {
  if (ply <= 0) return t('ply.start');
  const move = game?.moves[ply - 1];
  return t('ply.after', { ply, move: move ? san(move.san) : '?' });
}

function dropped(game: Game | undefined, keep: number): string[] {
  const moves = game?.moves.slice(keep) ?? [];
  return moves.length > 0
    ? [
        t('correct.dropped', {
          count: moves.length,
          moves:
            moves
              .slice(0, 8)
              .map((m) => san(m.san))
              .join(' ') + (moves.length > 8 ? ' …' : ''),
        }),
      ]
    : [];
}

/** Takes the record back to a ply and plays other moves from there. `typed` is the initial text. */
export function correct(subject: Subject, alert?: Alert, back?: number, typed = ''): Promise<boolean> {
  const game = subject.game();
  const last = game?.moves.length ?? subject.tile()?.payload.ply ?? 0;
  const keepAtFirst = Math.min(back ?? last, last);
  const shown = Array.from({ length: Math.min(last, 60) + 1 }, (_, i) => last - i);
  if (!shown.includes(keepAtFirst)) shown.push(keepAtFirst);
  const keep = select(
    t('correct.keep'),
    shown.map((ply) => ({ value: String(ply), label: plyText(game, ply) })),
    String(keepAtFirst),
  );
  const moves = text(t('correct.moves'), {
    value: typed,
    placeholder: t('correct.moves_example'),
    note: t('correct.moves_note'),
    wide: true,
  });
  return ask(subject, {
    title: t('correct.title'),
    facts: alert ? [h('p', {}, textOf(alert))] : [],
    fields: [keep.node, moves.node],
    effects: () => {
      const to = Number(keep.value());
      const made = movesFrom(moves.value());
      if (to === last && made.length === 0) return [t('correct.nothing')];
      return [
        ...dropped(game, to),
        ...(made.length > 0 ? [t('correct.made', { moves: made.map(san).join(' ') })] : []),
        t('correct.recount'),
      ];
    },
    again: () => {
      const to = Number(keep.value());
      return correct(subject, asItIs(subject, alert), to === last ? back : to, moves.value());
    },
    verb: 'correct',
    grave: true,
    args: () => {
      const to_ply = Number(keep.value());
      const made = movesFrom(moves.value());
      return to_ply === last && made.length === 0 ? null : { to_ply, moves: made };
    },
    confirm: () => t('correct.button'),
  });
}

/** The moves of a candidate line; empty if possibly nothing was played. */
const movesOf = (line: string): string[] => (line === '' ? [] : line.split(' '));

/** The board can be read in several ways: the arbiter chooses the moves that were played. */
export function chooseCandidate(subject: Subject, alert: Alert): Promise<boolean> {
  const { candidates = [], since_ply = 1 } = alert.arguments as { candidates?: string[]; since_ply?: number };
  const movesText = (line: string): string => movesOf(line).map(san).join(' ') || t('candidates.nothing');
  const field = choose(
    t('candidates.question'),
    candidates.map((line) => ({ value: line, label: movesText(line) })),
  );
  const effects = (line: string): string[] => [t('correct.made', { moves: movesText(line) }), t('correct.recount')];
  return ask(subject, {
    title: t('candidates.title'),
    facts: [h('p', {}, textOf(alert))],
    fields: [field.node],
    effects: () => {
      const line = field.value();
      return line === null ? [t('effect.choose')] : effects(line);
    },
    verb: 'correct',
    args: () => {
      const line = field.value();
      return line === null ? null : { to_ply: since_ply - 1, moves: movesOf(line) };
    },
    confirm: () => t('correct.button'),
  });
}

/** Confirms a promotion that was assumed to be to a queen. */
export function confirmPromotion(subject: Subject, alert: Alert): Promise<boolean> {
  return ask(subject, {
    title: t('promotion.title'),
    facts: [h('p', {}, textOf(alert))],
    effects: () => [t('promotion.effect')],
    verb: 'ack',
    guarded: false,
    args: () => ({ alert: alert.id }),
    confirm: () => t('promotion.button'),
  });
}

/** The promotion was to another piece: correct the record from its ply. */
export function correctPromotion(subject: Subject, alert: Alert): Promise<boolean> {
  const ply = (alert.arguments['plies'] as number[] | undefined)?.[0];
  return correct(subject, alert, ply === undefined ? undefined : ply - 1);
}

/** Continues from a position; the record starts again there. */
export function setup(subject: Subject): Promise<boolean> {
  const fen = text(t('setup.fen'), { value: subject.tile()?.payload.fen ?? '', note: t('setup.fen_note'), wide: true });
  return ask(subject, {
    title: t('setup.title'),
    fields: [fen.node],
    effects: () => [t('setup.effect'), t('setup.counts'), t('setup.kept')],
    verb: 'setup',
    grave: true,
    args: () => (fen.value() ? { fen: fen.value() } : null),
    confirm: () => t('setup.button'),
  });
}

/** The tags with their own field; others can be typed below. */
const TAGS = [
  'White',
  'Black',
  'WhiteElo',
  'BlackElo',
  'WhiteTitle',
  'BlackTitle',
  'WhiteFed',
  'BlackFed',
  'WhiteFideId',
  'BlackFideId',
  'Event',
  'Site',
  'Date',
  'Round',
] as const;

export function headers(subject: Subject): Promise<boolean> {
  const now = subject.tile()?.payload.headers ?? {};
  const fields = TAGS.map((tag) => [tag, text(t(`tag.${tag}`), { value: now[tag] ?? '' })] as const);
  const changes = (): Record<string, string> => {
    const changed = fields.filter(([tag, field]) => field.value() !== (now[tag] ?? ''));
    return Object.fromEntries(changed.map(([tag, field]) => [tag, field.value()]));
  };
  return ask(subject, {
    title: t('headers.title'),
    fields: [h('div', { class: 'pair' }, ...fields.map(([, field]) => field.node))],
    effects: () => {
      const entries = Object.entries(changes());
      if (entries.length === 0) return [t('headers.nothing')];
      // Receivers know a player by the id: with another one's, they show the wrong name.
      const stale = (['White', 'Black'] as const).flatMap((side) => {
        const id = now[`${side}FideId`];
        const stays = id !== undefined && changes()[side] !== undefined && changes()[`${side}FideId`] === undefined;
        return stays ? [t('headers.id_stays', { tag: t(`tag.${side}FideId`), value: id })] : [];
      });
      const words = entries.map(([tag, value]) =>
        value
          ? t('headers.set', { tag: t(`tag.${tag}` as never), value })
          : t('headers.removed', { tag: t(`tag.${tag}` as never) }),
      );
      return [...words, ...stale];
    },
    verb: 'headers',
    guarded: false,
    args: () => (Object.keys(changes()).length > 0 ? { headers: changes() } : null),
    confirm: () => t('headers.button'),
  });
}

/** What is unresolved on the board and would be left so by a new game. */
export function leavesOpen(subject: Subject): string[] {
  const tile = subject.tile()?.payload;
  const playing = tile && !tile.result && (tile.ply ?? 0) > 0;
  const claims = subject
    .alerts()
    .some((alert) => ['claim_made', 'decision_postponed', 'agreement_restricted'].includes(alert.code));
  return [
    ...(playing ? [t('new.leaves_game', { ply: tile.ply ?? 0 })] : []),
    ...(claims ? [t('new.leaves_claim')] : []),
  ];
}

export function newGame(subject: Subject): Promise<boolean> {
  const white = text(t('tag.White'));
  const black = text(t('tag.Black'));
  const fen = text(t('new.fen'), { note: t('new.fen_note'), wide: true });
  const laws = select(
    t('new.laws'),
    [{ value: '', label: t('new.configured') }, ...EDITIONS.map((edition) => ({ value: edition, label: edition }))],
    '',
  );
  const rate = select(
    t('new.rate'),
    [
      { value: '', label: t('new.configured') },
      { value: 'standard', label: t('rate.standard') },
      { value: 'rapid', label: t('rate.rapid') },
      { value: 'blitz', label: t('rate.blitz') },
    ],
    '',
  );
  return ask(subject, {
    title: t('new.title'),
    fields: [h('div', { class: 'pair' }, white.node, black.node, laws.node, rate.node), fen.node],
    effects: () => [...leavesOpen(subject), t('new.effect')],
    verb: 'new_game',
    grave: true,
    args: () => {
      const headers = Object.fromEntries(
        [
          ['White', white.value()],
          ['Black', black.value()],
        ].filter(([, name]) => name),
      );
      return {
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...(fen.value() ? { start_fen: fen.value() } : {}),
        ...(laws.value() ? { laws: laws.value() } : {}),
        ...(rate.value() ? { rate: rate.value() } : {}),
      };
    },
    confirm: () => t('new.button'),
  });
}
