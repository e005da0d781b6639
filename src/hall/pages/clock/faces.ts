/** The two clock faces, and what the Laws require of the clock now. */

import { formatClock, isoDuration, remaining } from '../lib/clocks';
import { h, setText, show } from '../lib/dom';
import type { Live } from '../lib/live';
import { fit, namedForms } from '../lib/players';
import { reasonWords, scoreText, v } from '../lib/vocabulary';
import { SIDES, type Clock, type Side, type TimeChange } from '../lib/topics';
import { t, type Word } from './words';

export interface Faces {
  readonly element: HTMLElement;
  draw(): void;
  tick(now: number): void;
}

function makeFace(side: Side) {
  const time = h('time', { class: 'time', role: 'timer' });
  const state = h('span', { class: 'state' });
  const name = h('bdi', { class: 'name' });
  const element = h(
    'section',
    { class: `face ${side}`, 'aria-label': v(side) },
    h('h2', null, h('span', { class: 'colour', 'aria-hidden': 'true' }), h('span', null, v(side))),
    name,
    time,
    state,
  );
  return { element, time, state, name };
}

/** `−3:00`: a change of the time, signed. */
function signed(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  const seconds = Math.round((Math.abs(ms) % 60_000) / 1000);
  return `${ms < 0 ? '−' : '+'}${minutes}:${String(seconds).padStart(2, '0')}`;
}

function changeWords(side: Side, change: TimeChange): string | null {
  switch (change.change) {
    case 'none':
      return null;
    case 'unknown':
      return `${v(side)} ${t('by_arbiter')}`;
    case 'add':
      return `${v(side)} ${signed(change.ms)}`;
    case 'set':
      return `${v(side)} ${formatClock(change.ms)}`;
  }
}

function pausedBy(by: string | null | undefined): string {
  if (by === 'white' || by === 'black' || by === 'arbiter' || by === 'clock') return t(`paused_${by}`);
  return by ? t('paused_by', { by }) : t('paused');
}

/** What must be done with the clock: stop it, set it. */
function orders(clock: Clock | undefined): string[] {
  const texts: string[] = [];
  if (clock?.paused && !clock.decided) {
    texts.push(clock.paused.reason === 'claim' ? t('paused_claim') : pausedBy(clock.paused.by));
  }
  if (clock?.decided) texts.push(t(clock.decided === 'agreement' ? 'stop_agreed' : 'stop_resigned'));
  const adjustment = clock?.adjustment;
  if (adjustment) {
    const changes = SIDES.flatMap((side) => changeWords(side, adjustment[side]) ?? []).join(', ');
    const key = `for_${adjustment.reason}`;
    const known = [
      'for_incorrect_claim',
      'for_illegal_move',
      'for_quickplay',
      'for_increment',
      'for_arbiter',
      'for_withdrawn',
    ];
    texts.push(t('adjustment', { changes, reason: known.includes(key) ? t(key as Word) : adjustment.reason }));
  }
  return texts;
}

/**
 * Makes the faces, with White's on the left. On narrow screens they are stacked, the player's own
 * below.
 */
export function makeFaces(live: Live, board: string, own: Side | null, tenths: boolean): Faces {
  const faces = { white: makeFace('white'), black: makeFace('black') };
  const order = h('div', { class: 'orders', role: 'status' });
  const result = h('div', { class: 'result', role: 'status' });
  const element = h(
    'div',
    { class: `faces own-${own ?? 'both'}`, role: 'group', 'aria-label': t('clocks') },
    result,
    order,
    h('div', { class: 'pair' }, faces.white.element, faces.black.element),
  );
  let over = false;

  function tick(now: number): void {
    const reading = live.ownClock(board);
    for (const side of SIDES) {
      const left = remaining(reading, side, now);
      const { time } = faces[side];
      setText(time, formatClock(left, tenths));
      time.classList.toggle('wide', (left ?? 0) >= 3_600_000);
      const duration = isoDuration(left);
      if (time.dateTime !== duration) time.dateTime = duration;
    }
  }

  return {
    element,
    tick,
    draw() {
      const published = live.store.get(board, 'result')?.payload;
      over = published !== undefined && published.score !== '*';
      setText(
        result,
        over && published !== undefined ? `${scoreText(published.score)} – ${reasonWords(published.reason)}` : '',
      );
      const clock = live.store.get(board, 'clock')?.payload;
      const texts = over ? [] : orders(clock);
      if (!live.store.online(board)) texts.push(t('offline_board'));
      setText(order, texts.join(' '));
      show(order, texts.length > 0);
      show(result, over);
      const reading = live.ownClock(board);
      for (const side of SIDES) {
        const name = clock?.players?.[side] ?? '';
        fit(faces[side].name, namedForms(name));
        const running = !over && !clock?.paused && !clock?.decided && reading?.running === side;
        faces[side].element.classList.toggle('running', running);
        setText(
          faces[side].state,
          clock?.flag === side ? `⚑ ${t('flag')}` : running ? `▶ ${t('running')}` : `❚❚ ${t('stopped')}`,
        );
      }
      tick(live.now());
    },
  };
}
