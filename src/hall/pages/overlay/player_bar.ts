/** A player's bar: title, name, federation, rating, offer, points, clock. */

import { h, setText, show } from '../lib/dom';
import { formatClock, isoDuration, remaining, type ClockReading } from '../lib/clocks';
import { setFlag } from '../lib/flags';
import { materialOf } from '../lib/material';
import { fit, nameForms, playerOf } from '../lib/players';
import { points, v } from '../lib/vocabulary';
import type { Game, GameResult, Side } from '../lib/topics';
import type { Part } from './options';
import { t } from './words';

export interface PlayerBar {
  readonly element: HTMLElement;
  update(game: Game, result: GameResult | null, offerBy: Side | null): void;
  tick(clock: ClockReading | null, now: number, over: boolean): void;
}

/** Makes the bar of one side; a `short` one has no rating. */
export function makePlayerBar(side: Side, shown: ReadonlySet<Part>, short = false): PlayerBar {
  const title = h('span', { class: 'title' });
  const name = h('bdi', { class: 'name' });
  const flag = h('img', { class: 'flag', alt: '', hidden: true });
  const federation = h('span', { class: 'federation' });
  const rating = h('span', { class: 'rating digits' });
  const material = h('span', { class: 'material', 'aria-hidden': 'true' });
  const offer = h('span', { class: 'offer', role: 'img', 'aria-label': t('offer'), hidden: true }, '=');
  const point = h('span', { class: 'points', hidden: true });
  const clock = h('time', { class: 'clock', role: 'timer', hidden: true });
  const element = h(
    'div',
    { class: `player ${side}` },
    h('span', { class: 'colour', role: 'img', 'aria-label': v(side) }),
    point,
    title,
    name,
    flag,
    federation,
    material,
    rating,
    offer,
    clock,
  );
  return {
    element,
    update(game, result, offerBy) {
      const player = playerOf(game.headers, side);
      setText(title, shown.has('titles') ? player.title : '');
      const drawn = shown.has('flags') && setFlag(flag, player.federation);
      if (!shown.has('flags')) show(flag, false);
      setText(federation, shown.has('flags') && !drawn ? player.federation : '');
      setText(rating, shown.has('ratings') && !short ? player.rating : '');
      setText(material, shown.has('material') ? materialOf(game.fen, side) : '');
      show(offer, shown.has('offer') && offerBy === side);
      const won = shown.has('result') && result !== null ? points(result.score, side) : '';
      setText(point, won);
      show(point, won !== '');
      element.classList.toggle('winner', won === '1');
      fit(name, shown.has('names') ? nameForms(player) : ['']);
    },
    tick(reading, now, over) {
      const left = remaining(reading, side, now);
      show(clock, shown.has('clocks') && left !== null);
      if (left === null) return;
      const running = reading?.running === side && !over;
      setText(clock, formatClock(left));
      const wide = left >= 3_600_000;
      if (clock.classList.contains('wide') !== wide) clock.classList.toggle('wide', wide);
      const duration = isoDuration(left);
      if (clock.dateTime !== duration) clock.dateTime = duration;
      if (element.classList.contains('running') !== running) element.classList.toggle('running', running);
    },
  };
}
