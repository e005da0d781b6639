// All open alerts in one list, of one site or of several; the most urgent first.

import { fill, h, setText } from '../lib/dom';
import type { Board, Hall } from './hall';
import { isHarmless, remediesFor } from './handling';
import type { Alert, Level } from './payloads';
import { headline, seenText, t, textOf, timeOfDay } from './say';
import { sign } from './signs';
import { playersOf } from './subject';
import { byNumber, urgencyOf } from './urgency';

/** The levels, the most urgent first. */
export const LEVELS: readonly Level[] = ['red', 'amber', 'grey'];

/** One of several sites, and the folder of its pages, relative to the page that shows all. */
export interface Site {
  site: string;
  path: string;
}

export interface Open {
  board: Board;
  alert: Alert;
  /** Where the list has several sites. */
  site?: Site;
  /** When the alert is only the last known one: since when, in words. */
  old?: string;
}

/** Every open alert with its board, in order of urgency. */
export function openAlerts(hall: Hall, site?: Site): Open[] {
  const all = hall
    .byNumber()
    .flatMap((board) =>
      (board.alerts?.payload.alerts ?? []).map((alert) => (site ? { board, alert, site } : { board, alert })),
    );
  return all.sort(compareOpen);
}

/** The more urgent first; among equals, the one that has waited longer. */
export function compareOpen(a: Open, b: Open): number {
  return (
    urgencyOf(b.alert) - urgencyOf(a.alert) ||
    a.alert.since.localeCompare(b.alert.since) ||
    byNumber(a.site?.site ?? '', b.site?.site ?? '') ||
    byNumber(a.board.name, b.board.name)
  );
}

/** `Board b3`, or `club-b · Board b3` in a list of several sites. */
export function whereOf({ board, site }: Open): string {
  const where = `${t('board')} ${board.name}`;
  return site ? `${site.site} · ${where}` : where;
}

/** The console at the alert's board. */
export function consoleAddress({ board, site }: Open): string {
  return `${site ? `${site.path}arbiter` : ''}#board=${board.name}`;
}

/** Tells an alert from those of other boards and sites. */
export function keyOf({ board, alert, site }: Open): string {
  return `${site?.site ?? ''}/${board.name}/${alert.id}`;
}

export interface AlarmHandlers {
  acknowledge(open: Open): void;
  decide(open: Open): void;
}

/** The number of unacknowledged alerts, by level. */
export function counts(hall: Hall): Record<Level, number> {
  const found: Record<Level, number> = { red: 0, amber: 0, grey: 0 };
  for (const board of hall.boards.values()) {
    for (const alert of board.alerts?.payload.alerts ?? []) if (alert.acknowledged_by === null) found[alert.level] += 1;
  }
  return found;
}

/** A sign, a number and a word for each level. */
export function countBadges(found: Record<Level, number>): HTMLElement[] {
  return LEVELS.map((level) =>
    h(
      'span',
      { class: `count count-${level}${found[level] > 0 ? ' some' : ''}` },
      sign(level),
      h('b', {}, String(found[level])),
      h('span', { class: 'word' }, t(`level.${level}`)),
    ),
  );
}

export class AlarmList {
  readonly element = h('section', { class: 'alarm-list', 'aria-labelledby': 'alarms-title' });
  private readonly list = h('ul', { class: 'alerts', role: 'list' });
  private readonly none = h('p', { class: 'empty', hidden: true }, t('alarms.none'));
  private shown: string | null = null;

  constructor(private readonly handlers: AlarmHandlers) {
    fill(this.element, h('h2', { id: 'alarms-title' }, t('alarms.title')), this.none, this.list);
  }

  /** What is shown while there are no alerts. */
  setNone(text: string): void {
    setText(this.none, text);
  }

  update(open: readonly Open[]): void {
    const state = open
      .map((one) => `${keyOf(one)}/${one.old}/${one.alert.acknowledged_by}/${one.alert.escalated}/${one.alert.level}`)
      .join();
    if (state === this.shown) return;
    this.none.hidden = open.length > 0;
    const focused = this.list.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset['key']
      : undefined;
    fill(this.list, ...open.map((one) => this.row(one)));
    this.shown = state;
    if (focused)
      this.list.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  private row(open: Open): HTMLElement {
    const { board, alert, site, old } = open;
    const seen = alert.acknowledged_by;
    const waiting = alert.escalated && seen === null;
    const about = whereOf(open);
    const key = keyOf(open);
    const players = board.tile ? playersOf(board.tile.payload) : null;
    const toDecide = remediesFor(alert).some((remedy) => remedy !== 'acknowledge');
    const buttons: HTMLElement[] = [];
    // An old alert may have been dealt with: only its console says more.
    if (toDecide && old === undefined)
      buttons.push(
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            'data-key': `${key}/decide`,
            'aria-label': `${t('alarm.decide')}, ${about}`,
            onclick: () => this.handlers.decide(open),
          },
          t('alarm.decide'),
        ),
      );
    if (seen === null && old === undefined && isHarmless(alert)) {
      buttons.push(
        h(
          'button',
          {
            type: 'button',
            'data-key': `${key}/ack`,
            'aria-label': `${t('alarm.acknowledge')}, ${about}`,
            onclick: () => this.handlers.acknowledge(open),
          },
          t('alarm.acknowledge'),
        ),
      );
    }
    return h(
      'li',
      {
        class: [
          'alert',
          seen === null ? alert.level : `seen-${alert.level}`,
          waiting ? 'escalated' : '',
          old === undefined ? '' : 'old',
        ]
          .filter(Boolean)
          .join(' '),
      },
      h(
        'p',
        { class: 'what' },
        sign(alert.level),
        h(
          'span',
          {},
          h(
            'a',
            { class: 'where', href: consoleAddress(open), target: site?.site ?? null, 'data-key': `${key}/open` },
            about,
          ),
          players ? ` ${players}` : '',
          h('br'),
          h('span', { class: 'level' }, t(`level.${alert.level}`), waiting ? ` · ${t('alarm.waiting')}` : '', ': '),
          h('b', {}, headline(alert)),
        ),
      ),
      h('p', { class: 'text' }, textOf(alert)),
      h('p', { class: 'since' }, t('alarm.since', { time: timeOfDay(alert.since) }), seenText(alert)),
      old === undefined ? null : h('p', { class: 'old-note' }, old),
      h('div', { class: 'buttons' }, ...buttons),
    );
  }
}
