// Journal entries in the arbiter's words. Types without words appear under the daemon's name; the
// raw entry is behind a disclosure.

import { formatRecorded } from '../lib/clocks';
import { h } from '../lib/dom';
import { isolated } from '../lib/plain';
import { reasonWords } from '../lib/vocabulary';
import type { Adjustment, JournalEvent, Side, JournalRecord } from './payloads';
import { headline, named, refusalText, san, scoreText, side, subjectOf, t, timeOfDay, type Named } from './say';
import { changeOf } from './times';

export type RaisedAlerts = ReadonlyMap<string, Named>;
const NONE_RAISED: RaisedAlerts = new Map();

const str = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

function sanOf(value: unknown): string {
  if (typeof value === 'string') return san(value);
  const move = value as { san?: string } | null | undefined;
  return move?.san ? san(move.san) : '';
}

/** A colour in words, or else a name as it is. */
const who = (value: unknown): string => side(value as Side) || isolated(str(value));

/**
 * The alert that a fact is about: from the fact itself, from when it was raised, or from its id.
 */
function alertOf(record: JournalRecord, raised: RaisedAlerts): Named {
  const id = str(record['id']);
  const known = raised.get(id);
  const args = (record['arguments'] ?? known?.arguments) as Record<string, unknown> | undefined;
  return { code: str(record['code']) || (known?.code ?? id.replace(/-[^-]*$/, '')), arguments: args };
}

/** The kind of claim, and its move. */
function claimedText(record: JournalRecord): string {
  const move = sanOf(record['announced'] ?? record['move']);
  const announced = move === '' ? '' : t('claims.with_move', { moves: move });
  return [named('kind', str(record['kind'])), announced].filter(Boolean).join(', ');
}

/** The arguments for a fact's text, taken from its fields. */
function argumentsOf(record: JournalRecord, raised: RaisedAlerts): Record<string, string | number> {
  const alert = alertOf(record, raised);
  return {
    by: who(record['by']),
    ply: str(record['ply'] ?? record['to_ply']),
    move: sanOf(record['san'] ?? record['move'] ?? record['announced'] ?? record['uci']),
    played: sanOf(record['played']),
    square: str(record['square']),
    score: scoreText(str(record['score'])),
    reason: reasonWords(str(record['reason'] ?? record['kind'])),
    what: claimedText(record),
    finding: named('finding', str(record['finding'])),
    article: str(record['article']),
    nth: str(record['nth'] ?? record['left']),
    game: str(record['game']),
    id: str(record['id']),
    how: named('offer_end', str(record['how']), { square: str(record['square']) }),
    running: who(record['running']),
    change: record.type === 'adjustment_ordered' ? adjustmentText(record as unknown as Adjustment) : '',
    // A raised alert says what to do; others only say what they were.
    alert: record.type === 'alert_raised' ? headline(alert) : subjectOf(alert),
    fen: str(record['fen']),
    message: str(record['message']),
  };
}

/** `White +3:00, Black −2:30`. */
export function adjustmentText(adjustment: Adjustment): string {
  const changes = [changeOf('white', adjustment.white), changeOf('black', adjustment.black)];
  return changes.filter((change) => change !== null).join(', ');
}

/** Facts that only repeat another line of the entry. */
const SILENT = new Set(['dead_verdict', 'winnability']);

/** Whether the entry contains only what the sensors report with every move. */
function isOrdinary(event: JournalEvent): boolean {
  return event.facts.every(
    (fact) => SILENT.has(fact.type) || (fact.type === 'piece_touched' && fact['by_arbiter'] !== true),
  );
}

function factLine(fact: JournalRecord, raised: RaisedAlerts): string | null {
  if (SILENT.has(fact.type)) return null;
  if (fact.type === 'answered')
    return fact['ok'] === true ? null : t('fact.answered_no', { message: refusalText(str(fact['code'])) });
  const variant = variantOf(fact);
  return named('fact', variant, argumentsOf(fact, raised)).trim();
}

/** The key of a fact's text; some facts have several variants, depending on a field. */
function variantOf(fact: JournalRecord): string {
  if (fact.type === 'claim_ruled')
    return fact['admissible'] === false
      ? 'claim_ruled_void'
      : fact['correct']
        ? 'claim_ruled_correct'
        : 'claim_ruled_incorrect';
  if (fact.type === 'version_chosen') return fact['version'] === 'record' ? 'version_kept' : 'version_taken';
  if (fact.type === 'agreement_ruled') return fact['consent'] ? 'agreement_ruled' : 'agreement_refused';
  if (fact.type === 'journal_changed') return fact['down'] ? 'journal_down' : 'journal_back';
  if (fact.type === 'link_changed') return fact['up'] ? 'link_up' : 'link_down';
  if (fact.type === 'piece_touched' && fact['sure'] === false) return 'piece_seen_missing';
  if (fact.type === 'sensors_faulty' && (fact['squares'] as string[] | undefined)?.length === 0) return 'sensors_fine';
  return fact.type;
}

/** The sender and the command, if the entry is a command. */
function commandLine(input: JournalRecord): string | null {
  if (input.type !== 'command') return null;
  const by = isolated(str(input['by'])) || named('role', str(input['role']));
  return t('input.command', { by, verb: named('verb', str(input['verb'])) });
}

/** Whether the entry is interesting by default, unlike clock readings and lifted pieces. */
export function isNotable(event: JournalEvent): boolean {
  return event.input.type === 'command' || !isOrdinary(event);
}

/** The lines of an entry; none if it only reports the clock. */
export function linesOf(event: JournalEvent, raised: RaisedAlerts = NONE_RAISED): string[] {
  const command = commandLine(event.input);
  const facts = event.facts.map((fact) => factLine(fact, raised)).filter((line): line is string => line !== null);
  const times = event.input['clock'] as { white_ms: number; black_ms: number } | undefined;
  const clock =
    times && event.input.type === 'move'
      ? ` (${formatRecorded(times.white_ms)} – ${formatRecorded(times.black_ms)})`
      : '';
  if (facts.length === 0) return command ? [command] : [];
  const lines = facts.map((line, i) => (i === 0 ? line + clock : line));
  return command ? [`${command}: ${lines.join('; ')}`] : lines;
}

/** One entry, with its raw form behind a disclosure. */
export function entryElement(event: JournalEvent, raised: RaisedAlerts): HTMLElement {
  const lines = linesOf(event, raised);
  const raw = h('details', {}, h('summary', {}, t('journal.raw')));
  raw.addEventListener('toggle', () => {
    if (raw.open && raw.childElementCount === 1)
      raw.append(h('pre', { tabindex: '0' }, JSON.stringify(event, null, 1)));
  });
  return h(
    'li',
    { class: event.input.type === 'command' ? 'entry asked' : 'entry', 'data-seq': event.seq },
    h('time', { datetime: event.time }, timeOfDay(event.time)),
    h('div', {}, ...lines.map((line) => h('p', {}, line)), raw),
    h('span', { class: 'seq' }, String(event.seq)),
  );
}

const KEPT = 400;
const KEPT_ALERTS = 200;

/** The entries of a board as they arrive, the newest first. */
export class Journal {
  /** By number, in order of arrival; an event may arrive twice. */
  private readonly events = new Map<number, JournalEvent>();

  /** Alerts by id, as they were raised: later facts name them only by id. */
  readonly raised = new Map<string, Named>();

  /** Remembers an alert for later facts about it. */
  know(alert: Named & { id: string }): void {
    this.raised.delete(alert.id);
    this.raised.set(alert.id, alert);
    const [oldest] = this.raised.keys();
    if (this.raised.size > KEPT_ALERTS && oldest !== undefined) this.raised.delete(oldest);
  }

  take(event: JournalEvent): void {
    for (const fact of event.facts)
      if (fact.type === 'alert_raised') this.know(fact as unknown as Named & { id: string });
    this.events.delete(event.seq);
    this.events.set(event.seq, event);
    const [oldest] = this.events.keys();
    if (this.events.size > KEPT && oldest !== undefined) this.events.delete(oldest);
  }

  newest(): JournalEvent[] {
    return [...this.events.values()].sort((a, b) => b.time.localeCompare(a.time) || b.seq - a.seq);
  }

  /** The number of illegal moves ruled in this game; null if its beginning was not received. */
  illegalMoves(of: Side): number | null {
    for (const event of this.newest()) {
      for (const fact of [...event.facts].reverse()) {
        if (fact.type === 'illegal_move' && fact['by'] === of) return Number(fact['nth']);
        if (fact.type === 'illegal_move_withdrawn' && fact['by'] === of) return Number(fact['left']);
        if (fact.type === 'game_started') return 0;
      }
    }
    return null;
  }
}
