// A board in the grid. Its elements are built once; updates write only what differs.

import { h } from '../lib/dom';
import { Diagram } from './diagram';
import type { Board } from './hall';
import type { Alert, Side } from './payloads';
import { headline, named, san, scoreText, t, textOf } from './say';
import { sign } from './signs';
import { moveNumber } from './subject';
import { formatClock, remaining } from '../lib/clocks';
import { isolated } from '../lib/plain';
import { fit, nameForms, playerOf } from '../lib/players';
import type { Reading } from './times';
import { byUrgency } from './urgency';
import { isSimple } from './handling';

export interface TileHandlers {
  acknowledge(board: Board, alert: Alert): void;
  decide(board: Board, alert: Alert): void;
}

const DIAGRAM = 112;

/** Sets a text only if it differs, because DOM writes are expensive. */
function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function classes(element: Element, names: string): void {
  if (element.className !== names) element.className = names;
}

interface PlayerLine {
  line: HTMLElement;
  name: HTMLElement;
  clock: HTMLElement;
}

function playerLine(of: Side): PlayerLine {
  const name = h('bdi', { class: 'name' });
  const clock = h('span', { class: 'time' });
  const man = h('span', { class: `man man-${of}`, 'aria-hidden': 'true' });
  const line = h('div', { class: 'player' }, man, name, clock);
  return { line, name, clock };
}

export class TileView {
  readonly element: HTMLElement;
  readonly open: HTMLAnchorElement;
  private readonly diagram = new Diagram(DIAGRAM);
  private readonly alarm = h('div', { class: 'alarm', hidden: true });
  private readonly black = playerLine('black');
  private readonly white = playerLine('white');
  private readonly state = h('span', { class: 'state' });
  private readonly link = h('span', { class: 'link' });
  private readonly battery = h('span', { class: 'battery' });
  private readonly doubt = h('div', { class: 'doubt', hidden: true });
  private alarmShown = '';
  private reading: Reading | null = null;
  private positionShown = '';
  private stale: string | null = null;

  constructor(
    private board: Board,
    private readonly handlers: TileHandlers,
  ) {
    this.open = h('a', { class: 'open', href: `#board=${board.name}`, tabindex: '-1' }) as HTMLAnchorElement;
    this.element = h(
      'li',
      { class: 'tile', 'data-board': board.name },
      h('h3', {}, this.open, this.state),
      this.alarm,
      this.doubt,
      h('div', { class: 'body' }, this.diagram.canvas, h('div', { class: 'sides' }, this.black.line, this.white.line)),
      h('p', { class: 'foot' }, this.link, this.battery),
    );
  }

  /** The text that the filter searches. */
  get text(): string {
    const headers = this.board.tile?.payload.headers ?? {};
    return `${this.board.name} ${headers['White'] ?? ''} ${headers['Black'] ?? ''}`.toLowerCase();
  }

  update(board: Board, now: number): void {
    this.board = board;
    const tile = board.tile?.payload;
    const alerts = byUrgency(board.alerts?.payload.alerts ?? []);
    const first = alerts[0];
    this.reading = board.reading;
    this.writeNames();
    this.writeState();
    this.writeDoubt();
    this.writeLink();
    const level = first ? (first.acknowledged_by === null ? first.level : `seen-${first.level}`) : 'calm';
    classes(
      this.element,
      `tile ${level}${first?.escalated && first.acknowledged_by === null ? ' escalated' : ''}${board.doubt ? ' doubtful' : ''}`,
    );
    this.writeAlarm(first, alerts.length);
    if (tile) {
      const shown = `${tile.fen}|${tile.last?.uci ?? ''}`;
      if (shown !== this.positionShown) {
        this.positionShown = shown;
        this.diagram.show(tile.fen, tile.last?.uci);
      }
    }
    this.tick(now);
  }

  /** Updates the clocks, once a second. */
  tick(now: number): void {
    for (const [of, line] of [
      ['white', this.white],
      ['black', this.black],
    ] as const) {
      const ms = remaining(this.reading?.at ?? null, of, now);
      write(line.clock, formatClock(ms));
      const runs = this.reading?.at.running === of;
      const flag = this.reading?.flag === of;
      classes(line.line, `player${runs ? ' runs' : ''}${flag ? ' flag' : ''}`);
    }
  }

  get running(): boolean {
    return this.reading?.at.running != null;
  }

  private writeNames(): void {
    const headers = this.board.tile?.payload.headers ?? {};
    const white = playerOf(headers, 'white');
    const black = playerOf(headers, 'black');
    fit(this.white.name, nameForms(white));
    fit(this.black.name, nameForms(black));
    write(this.open, this.board.name);
    const label = `${t('board')} ${this.board.name}, ${isolated(white.name)} – ${isolated(black.name)}`;
    if (this.open.getAttribute('aria-label') !== label) this.open.setAttribute('aria-label', label);
  }

  private writeState(): void {
    const tile = this.board.tile?.payload;
    if (!tile) return write(this.state, '');
    const paused = this.board.clock?.payload.paused;
    if (tile.result) {
      write(this.state, scoreText(tile.result.score));
    } else {
      const ply = tile.ply ?? 0;
      const move = tile.last ? `${moveNumber(ply, tile)} ${san(tile.last.san)}` : t('tile.no_moves');
      const uncertain = tile.uncertain ? ' ?' : '';
      write(this.state, `${move}${uncertain}${paused ? ` · ${t('tile.paused')}` : ''}`);
    }
  }

  setStale(text: string | null): void {
    this.stale = text;
    this.writeDoubt();
  }

  private writeDoubt(): void {
    const { doubt } = this.board;
    const text = this.stale ?? (doubt ? t(`doubt.${doubt}`) : '');
    if (this.doubt.hidden !== (text === '')) this.doubt.hidden = text === '';
    write(this.doubt, text);
  }

  private writeLink(): void {
    const link = this.board.link?.payload;
    const tracker = this.board.tile?.payload.tracker.state;
    const seen = !link ? '' : link.up ? named('confidence', link.confidence) : t('tile.no_link');
    const tracked = tracker && (!link || (tracker !== 'following' && link.up)) ? named('tracker', tracker) : '';
    write(this.link, [tracked, seen].filter(Boolean).join(' · '));
    write(this.battery, typeof link?.battery === 'number' ? t('tile.battery', { percent: link.battery }) : '');
  }

  private writeAlarm(first: Alert | undefined, count: number): void {
    const shown = first ? `${first.id}|${first.acknowledged_by}|${first.escalated}|${count}|${first.level}` : '';
    if (shown === this.alarmShown) return;
    this.alarmShown = shown;
    this.alarm.hidden = !first;
    if (!first) return this.alarm.replaceChildren();
    const more = count > 1 ? h('span', { class: 'more' }, t('tile.more', { count: count - 1 })) : null;
    this.alarm.replaceChildren(
      h(
        'p',
        { class: 'what' },
        sign(first.level),
        h(
          'span',
          {},
          h(
            'span',
            { class: 'level' },
            t(`level.${first.level}`),
            first.escalated && first.acknowledged_by === null ? ` · ${t('alarm.waiting')}` : '',
            ': ',
          ),
          h('b', {}, headline(first)),
        ),
      ),
      h('p', { class: 'text' }, textOf(first)),
      h('div', { class: 'buttons' }, ...this.buttons(first), ...(more ? [more] : [])),
    );
  }

  private buttons(alert: Alert): Node[] {
    const seen = alert.acknowledged_by;
    const simple = isSimple(alert);
    const buttons: Node[] = [];
    if (seen !== null) buttons.push(h('span', { class: 'by' }, t('alarm.seen_by', { by: isolated(seen) })));
    const about = `${t('board')} ${this.board.name}`;
    if (seen === null && simple) {
      const press = (): void => this.handlers.acknowledge(this.board, alert);
      buttons.push(
        h(
          'button',
          { type: 'button', class: 'ack', 'aria-label': `${t('alarm.acknowledge')}, ${about}`, onclick: press },
          t('alarm.acknowledge'),
        ),
      );
    } else if (!simple) {
      const press = (): void => this.handlers.decide(this.board, alert);
      buttons.push(
        h(
          'button',
          { type: 'button', class: 'decide primary', 'aria-label': `${t('alarm.decide')}, ${about}`, onclick: press },
          t('alarm.decide'),
        ),
      );
    }
    return buttons;
  }
}
