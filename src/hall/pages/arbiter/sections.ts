// The sections of the opened board. Each rebuilds its elements from the current state.

import { h, setText, type Child } from '../lib/dom';
import { formatClock, remaining } from '../lib/clocks';
import { positionWords } from '../lib/fen';
import { reasonWords } from '../lib/vocabulary';
import { MENU, REMEDY_ACTIONS } from './actions/menu';
import { evidenceLink } from './evidence';
import { outdatedNotice } from './lichess';
import { remediesFor } from './handling';
import { adjustmentText, entryElement, isNotable } from './journal';
import type { Opened, Part } from './opened';
import { SIDES } from '../lib/topics';
import type { Alert, Side } from './payloads';
import { atPly, squaresOf } from './position';
import { drawsSection } from './draws';
import { followScore, scoreSection } from './score';
import { named, san, scoreText, seenText, side, t, textOf, headline, type Key, timeOfDay } from './say';
import { sign } from './signs';
import { stateText } from './subject';
import type { Marks } from './diagram';
import { fact } from './terms';
import { byUrgency } from './urgency';

export { followScore };

export const SECTIONS: Record<Part, (opened: Opened) => Child[]> = {
  head: headSection,
  alerts: alertsSection,
  position: positionSection,
  draws: drawsSection,
  score: scoreSection,
  clock: clockSection,
  device: deviceSection,
  actions: actionsSection,
  journal: journalSection,
};

function headSection(opened: Opened): Child[] {
  const game = opened.game();
  const names = opened.hall.byNumber().map((board) => board.name);
  const at = names.indexOf(opened.board);
  const step = (to: string | undefined, label: string, sign: string): HTMLElement | null =>
    to === undefined
      ? null
      : h('a', { class: 'button step', href: `#board=${to}`, 'aria-label': `${label}: ${to}`, 'data-key': sign }, sign);
  const doubt = opened.doubt();
  const result = game?.result;
  return [
    h(
      'nav',
      { 'aria-label': t('opened.nav') },
      h('a', { class: 'button back', href: '#', 'data-key': 'back' }, `← ${t('opened.all')}`),
      step(names[at - 1], t('opened.previous'), '‹'),
      step(names[at + 1], t('opened.next'), '›'),
    ),
    h(
      'h2',
      {},
      `${t('board')} ${opened.board}`,
      ' ',
      game
        ? h('small', {}, `${t('opened.game', { game: game.game })} · ${game.laws} · ${t(`rate.${game.rate}`)}`)
        : null,
    ),
    h(
      'p',
      { class: 'event' },
      [game?.headers['Event'], game?.headers['Round'] && t('opened.round', { round: game.headers['Round'] })]
        .filter(Boolean)
        .join(' · '),
    ),
    doubt ? h('p', { class: 'doubt', role: 'status' }, t(`doubt.${doubt}`)) : null,
    ...opened.outdated.map(outdatedNotice),
    result
      ? h(
          'p',
          { class: 'result' },
          h('b', {}, scoreText(result.score)),
          ` ${reasonWords(result.reason)}${result.article ? ` (${result.article})` : ''}`,
          result.confirmed ? '' : ` · ${t('result.unconfirmed')}`,
          result.announced ? ` · ${t('result.announced', { move: san(result.announced.san) })}` : '',
        )
      : null,
    opened.ready ? null : h('p', { class: 'hint' }, t('opened.loading')),
    opened.ready && !game ? h('p', { class: 'warning' }, t('opened.unknown')) : null,
  ];
}

function alertsSection(opened: Opened): Child[] {
  const alerts = byUrgency(opened.alerts());
  if (opened.isUnreadable('alerts')) return [h('p', { class: 'warning' }, t('doubt.unreadable'))];
  if (alerts.length === 0) return [h('p', { class: 'nothing' }, opened.ready ? t('alerts.none') : '')];
  return [h('ul', { class: 'alerts', role: 'list' }, ...alerts.map((alert) => alertCard(opened, alert)))];
}

function alertCard(opened: Opened, alert: Alert): HTMLElement {
  const seen = alert.acknowledged_by;
  const waiting = alert.escalated && seen === null;
  const buttons = remediesFor(alert).map((remedy, i) =>
    h(
      'button',
      {
        type: 'button',
        class: i === 0 && remedy !== 'acknowledge' ? 'primary' : null,
        'data-key': `${alert.id}/${remedy}`,
        onclick: () => void REMEDY_ACTIONS[remedy](opened, alert),
      },
      t(`remedy.${remedy}`),
    ),
  );
  return h(
    'li',
    {
      class: `alert ${seen === null ? alert.level : `seen-${alert.level}`}${waiting ? ' escalated' : ''}`,
      'data-alert': alert.code,
    },
    h(
      'p',
      { class: 'what' },
      sign(alert.level),
      h(
        'span',
        {},
        h('span', { class: 'level' }, t(`level.${alert.level}`), waiting ? ` · ${t('alarm.waiting')}` : '', ': '),
        h('b', {}, headline(alert)),
      ),
    ),
    h('p', { class: 'text' }, textOf(alert)),
    h('p', { class: 'since' }, t('alarm.since', { time: timeOfDay(alert.since) }), seenText(alert)),
    buttons.length > 0 ? h('div', { class: 'buttons' }, ...buttons) : null,
  );
}

function marksOf(opened: Opened): Marks {
  const marks: Marks = {};
  for (const touched of opened.draw()?.touched ?? []) if (!touched.adjusting) marks[touched.square] = 'touched';
  for (const { square } of opened.game()?.tracker.squares ?? []) marks[square] = 'fault';
  return marks;
}

function playerRow(opened: Opened, of: Side): HTMLElement {
  const headers = opened.game()?.headers ?? {};
  const prefix = of === 'white' ? 'White' : 'Black';
  const extra = [headers[`${prefix}Title`], headers[`${prefix}Elo`], headers[`${prefix}Fed`]].filter(Boolean).join(' ');
  const reading = opened.reading();
  const runs = reading?.at.running === of;
  const flag = reading?.flag === of;
  return h(
    'div',
    { class: `player${runs ? ' runs' : ''}${flag ? ' flag' : ''}` },
    h('span', { class: `man man-${of}`, 'aria-hidden': 'true' }),
    h(
      'span',
      { class: 'name' },
      h('bdi', {}, headers[prefix] || t(`side.${of}`)),
      extra ? h('small', {}, ` ${extra}`) : null,
    ),
    h('span', { class: 'time', 'data-clock': of }, formatClock(remaining(reading?.at ?? null, of, opened.now()))),
    runs ? h('span', { class: 'unseen' }, t('clock.runs')) : null,
    flag ? h('b', { class: 'flagged' }, t('clock.flag')) : null,
  );
}

/** Updates the clocks of the opened board between two payloads. */
export function tickClocks(opened: Opened): void {
  const at = opened.reading()?.at ?? null;
  for (const of of SIDES) {
    const element = opened.element.querySelector(`[data-clock="${of}"]`);
    if (element) setText(element, formatClock(remaining(at, of, opened.now())));
  }
}

function positionSection(opened: Opened): Child[] {
  const game = opened.game();
  if (!game) return [];
  const ply = opened.looksAt;
  const live = ply === null;
  const shown = ply ?? game.moves.length;
  if (live) opened.diagram.show(squaresOf(game.fen), game.moves.at(-1)?.uci, marksOf(opened));
  else opened.diagram.show(atPly(game.start_fen, game.moves, ply), game.moves[ply - 1]?.uci);
  const look = (to: number | null, label: Key, mark: string, disabled: boolean): HTMLElement =>
    h(
      'button',
      { type: 'button', 'aria-label': t(label), 'data-key': label, disabled, onclick: () => opened.lookAt(to) },
      mark,
    );
  const since = game.uncertain?.since_ply;
  return [
    game.uncertain
      ? h(
          'p',
          { class: 'warning' },
          typeof since === 'number' ? t('position.uncertain_since', { ply: since }) : t('position.uncertain'),
        )
      : null,
    playerRow(opened, 'black'),
    h(
      'div',
      {
        class: 'board-frame',
        role: 'img',
        'aria-label': live ? positionWords(game.fen) : t('position.after', { ply: shown }),
      },
      opened.diagram.canvas,
    ),
    playerRow(opened, 'white'),
    h(
      'div',
      { class: 'look' },
      look(0, 'look.first', '«', shown === 0),
      look(shown - 1, 'look.back', '‹', shown === 0),
      h(
        'p',
        { class: live ? 'state' : 'state past' },
        live ? stateText(opened.tile()?.payload) : t('position.after', { ply: shown }),
      ),
      look(shown + 1, 'look.forward', '›', live),
      look(null, 'look.live', '»', live),
    ),
  ];
}

function clockSection(opened: Opened): Child[] {
  const clock = opened.known.clock?.payload;
  if (!clock) return [h('p', { class: 'nothing' }, t('clock.no_clock'))];
  const { paused, adjustment } = clock;
  return [
    h(
      'dl',
      {},
      fact(t('clock.running'), clock.running ? t(`side.${clock.running}`) : t('clock.stopped')),
      paused
        ? fact(
            t('clock.paused'),
            `${t(`pause.${paused.reason}`)}${paused.by ? ` (${side(paused.by as Side) || named('role', paused.by)})` : ''}, ${timeOfDay(paused.since)}`,
          )
        : null,
      adjustment
        ? fact(
            t('clock.to_set'),
            h('b', {}, adjustmentText(adjustment)),
            ` – ${named('adjustment', adjustment.reason)}`,
          )
        : null,
      clock.flag ? fact(t('clock.flag'), t(`side.${clock.flag}`)) : null,
    ),
  ];
}

function deviceSection(opened: Opened): Child[] {
  const link = opened.known.link?.payload;
  const tracker = opened.game()?.tracker;
  const availability = opened.known.availability?.payload;
  const squares = tracker?.squares ?? [];
  return [
    h(
      'dl',
      {},
      tracker
        ? fact(
            t('device.tracker'),
            named('tracker', tracker.state),
            tracker.reason ? ` – ${named('mismatch', tracker.reason)}` : '',
          )
        : null,
      squares.length > 0
        ? fact(
            t('device.squares'),
            ...squares.map((s) =>
              h(
                'span',
                { class: 'square' },
                `${s.square}: ${t('device.expected', { expected: manText(s.expected), seen: manText(s.seen) })}`,
              ),
            ),
          )
        : null,
      availability
        ? fact(
            t('device.availability'),
            named('availability', availability.state),
            availability.reason ? ` – ${availability.reason}` : '',
          )
        : null,
      link
        ? fact(
            t('device.link'),
            link.up
              ? named('confidence', link.confidence)
              : `${t('tile.no_link')}${link.reason ? ` – ${link.reason}` : ''}`,
          )
        : null,
      link && typeof link.battery === 'number' ? fact(t('device.battery'), `${link.battery} %`) : null,
      link
        ? fact(t('device.board'), [link.kind, link.serial, link.version].filter(Boolean).join(' · '), ` · ${link.port}`)
        : null,
      link ? fact(t('device.orientation'), named('orientation', link.orientation)) : null,
      link && link.faulty_squares.length > 0 ? fact(t('device.faulty'), link.faulty_squares.join(', ')) : null,
      link?.last_frame ? fact(t('device.last_frame'), timeOfDay(link.last_frame)) : null,
      link
        ? fact(
            t('device.counters'),
            t('device.counts', {
              frames: link.counters['frames'] ?? 0,
              bad: link.counters['bad_frames'] ?? 0,
              reconnects: link.counters['reconnects'] ?? 0,
            }),
          )
        : null,
    ),
  ];
}

function manText(letter: string | null | undefined): string {
  if (!letter) return t('device.empty');
  const kinds: Record<string, Key> = { k: 'man.k', q: 'man.q', r: 'man.r', b: 'man.b', n: 'man.n', p: 'man.p' };
  const kind = kinds[letter.toLowerCase()];
  if (!kind) return letter;
  return `${side(letter === letter.toLowerCase() ? 'black' : 'white')} ${t(kind)}`;
}

/**
 * All actions, each in a fixed place so that it is easy to find. `Opened.light` enables those that
 * apply.
 */
function actionsSection(opened: Opened): Child[] {
  return [
    ...MENU.map((group) =>
      h(
        'div',
        { class: 'group' },
        h('h4', {}, t(group.title)),
        h(
          'div',
          { class: 'buttons' },
          ...group.items.map((item) =>
            h(
              'button',
              {
                type: 'button',
                'data-key': `menu-${item.id}`,
                'data-action': item.id,
                disabled: true,
                onclick: () => void item.open(opened),
              },
              t(item.label),
            ),
          ),
        ),
      ),
    ),
    h(
      'div',
      { class: 'group' },
      h('h4', {}, t('menu.paper')),
      h(
        'div',
        { class: 'buttons' },
        evidenceLink(opened, t('evidence.print'), { class: 'button', 'data-key': 'menu-evidence' }),
      ),
    ),
  ];
}

function journalSection(opened: Opened): Child[] {
  const events = opened.journal
    .newest()
    .filter((event) => opened.showAll || isNotable(event))
    .slice(0, 60);
  const box = h('input', {
    type: 'checkbox',
    checked: opened.showAll,
    'data-key': 'journal-all',
    onchange: () => {
      opened.showAll = !opened.showAll;
      opened.touch('journal');
    },
  });
  return [
    h('label', { class: 'option' }, box, h('span', {}, t('journal.all'))),
    events.length > 0
      ? h(
          'ol',
          { class: 'journal', reversed: true, 'data-scroll': true, tabindex: '0', 'aria-label': t('part.journal') },
          ...events.map((event) => entryElement(event, opened.journal.raised)),
        )
      : h('p', { class: 'nothing' }, t('journal.none')),
  ];
}
