// All open alerts in the hall in one list, the most urgent first.

import { fill, h } from '../lib/dom';
import type { Board, Hall } from './hall';
import { isHarmless, remediesFor } from './handling';
import type { Alert, Level } from './payloads';
import { headline, seenText, t, textOf, timeOfDay } from './say';
import { sign } from './signs';
import { playersOf } from './subject';
import type { TileHandlers } from './tile';

import { byNumber, urgencyOf } from './urgency';

export interface Open {
  board: Board;
  alert: Alert;
}

/** Every open alert with its board, in order of urgency. */
export function openAlerts(hall: Hall): Open[] {
  const all = hall
    .byNumber()
    .flatMap((board) => (board.alerts?.payload.alerts ?? []).map((alert) => ({ board, alert })));
  return all.sort(
    (a, b) =>
      urgencyOf(b.alert) - urgencyOf(a.alert) ||
      a.alert.since.localeCompare(b.alert.since) ||
      byNumber(a.board.name, b.board.name),
  );
}

/** The number of unacknowledged alerts, by level. */
export function counts(hall: Hall): Record<Level, number> {
  const found: Record<Level, number> = { red: 0, amber: 0, grey: 0 };
  for (const board of hall.boards.values()) {
    for (const alert of board.alerts?.payload.alerts ?? []) if (alert.acknowledged_by === null) found[alert.level] += 1;
  }
  return found;
}

export class AlarmList {
  readonly element = h('section', { class: 'alarm-list', 'aria-labelledby': 'alarms-title' });
  private readonly list = h('ul', { class: 'alerts', role: 'list' });
  private readonly none = h('p', { class: 'empty', hidden: true }, t('alarms.none'));
  private shown = '';

  constructor(private readonly handlers: TileHandlers) {
    fill(this.element, h('h2', { id: 'alarms-title' }, t('alarms.title')), this.none, this.list);
  }

  update(hall: Hall): void {
    const open = openAlerts(hall);
    const state = open
      .map(({ board, alert }) => `${board.name}/${alert.id}/${alert.acknowledged_by}/${alert.escalated}/${alert.level}`)
      .join();
    if (state === this.shown) return;
    this.shown = state;
    this.none.hidden = open.length > 0;
    const focused = this.list.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset['key']
      : undefined;
    fill(this.list, ...open.map((one) => this.row(one)));
    if (focused)
      this.list.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  private row({ board, alert }: Open): HTMLElement {
    const seen = alert.acknowledged_by;
    const waiting = alert.escalated && seen === null;
    const about = `${t('board')} ${board.name}`;
    const key = `${board.name}/${alert.id}`;
    const players = board.tile ? playersOf(board.tile.payload) : null;
    const toDecide = remediesFor(alert).some((remedy) => remedy !== 'acknowledge');
    const buttons: HTMLElement[] = [];
    if (toDecide)
      buttons.push(
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            'data-key': `${key}/decide`,
            'aria-label': `${t('alarm.decide')}, ${about}`,
            onclick: () => this.handlers.decide(board, alert),
          },
          t('alarm.decide'),
        ),
      );
    if (seen === null && isHarmless(alert)) {
      buttons.push(
        h(
          'button',
          {
            type: 'button',
            'data-key': `${key}/ack`,
            'aria-label': `${t('alarm.acknowledge')}, ${about}`,
            onclick: () => this.handlers.acknowledge(board, alert),
          },
          t('alarm.acknowledge'),
        ),
      );
    }
    return h(
      'li',
      { class: `alert ${seen === null ? alert.level : `seen-${alert.level}`}${waiting ? ' escalated' : ''}` },
      h(
        'p',
        { class: 'what' },
        sign(alert.level),
        h(
          'span',
          {},
          h('a', { class: 'where', href: `#board=${board.name}`, 'data-key': `${key}/open` }, about),
          players ? ` ${players}` : '',
          h('br'),
          h('span', { class: 'level' }, t(`level.${alert.level}`), waiting ? ` · ${t('alarm.waiting')}` : '', ': '),
          h('b', {}, headline(alert)),
        ),
      ),
      h('p', { class: 'text' }, textOf(alert)),
      h('p', { class: 'since' }, t('alarm.since', { time: timeOfDay(alert.since) }), seenText(alert)),
      h('div', { class: 'buttons' }, ...buttons),
    );
  }
}
