// Starts a round: pairings are read and checked, then each board begins a new game in turn.

import { send } from '../lib/command';
import { fill, h } from '../lib/dom';
import { select, text, tick } from './fields';
import type { Board, Hall } from './hall';
import { announce } from './notes';
import { readPairings, type Finding, type Round, type Seat } from './pairings';
import { named, refusalText, t } from './say';

type Outcome = 'waiting' | 'asked' | 'done' | 'refused';

interface Line {
  seat: Seat;
  seq: number;
  outcome: Outcome;
  said: string;
}

export function openRound(hall: Hall): void {
  new RoundDialog(hall).open();
}

class RoundDialog {
  private readonly input = text(t('round.pairings'), {
    rows: 8,
    placeholder: t('round.example'),
    note: t('round.note'),
  });
  private readonly event = text(t('tag.Event'));
  private readonly round = text(t('tag.Round'));
  private readonly rate = select(
    t('new.rate'),
    [
      { value: '', label: t('new.configured') },
      { value: 'standard', label: t('rate.standard') },
      { value: 'rapid', label: t('rate.rapid') },
      { value: 'blitz', label: t('rate.blitz') },
    ],
    '',
  );
  private readonly leave = tick(t('round.leave'));
  private readonly preview = h('div', { class: 'preview', 'aria-live': 'polite' });
  private readonly start = h(
    'button',
    { type: 'submit', class: 'primary grave', disabled: true },
    t('round.start', { count: 0 }),
  );
  private readonly dialog: HTMLDialogElement;
  private lines: Line[] = [];
  private problems: Finding[] = [];
  private warnings: Finding[] = [];
  /** Why nothing could be read, as a code. */
  private failure: string | null = null;
  /** The number of requests so far: outdated answers are ignored. */
  private asked = 0;
  /** Whether the newest request is not answered yet. */
  private reading = false;
  private running = false;

  private readonly file = h('input', {
    type: 'file',
    accept: '.csv,.txt,.pgn,.tsv,.trf,.trfx',
    'aria-label': t('round.file'),
    onchange: () => {
      const chosen = this.file.files?.[0];
      if (chosen) void this.read(chosen);
    },
  });

  constructor(private readonly hall: Hall) {
    const form = h(
      'form',
      { method: 'dialog', novalidate: true },
      h('header', {}, h('h2', { id: 'round-title' }, t('round.title'))),
      h(
        'div',
        { class: 'fields' },
        h('div', { class: 'field' }, h('label', {}, t('round.file'), ' ', this.file)),
        this.input.node,
        h('div', { class: 'pair' }, this.event.node, this.round.node, this.rate.node),
        this.leave.node,
      ),
      this.preview,
      h(
        'footer',
        {},
        h('button', { type: 'button', onclick: () => this.dialog.close() }, t('round.close')),
        this.start,
      ),
    );
    this.input.input.addEventListener('input', () => void this.read(this.input.value()));
    form.addEventListener('input', () => this.draw());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.run();
    });
    this.dialog = h('dialog', { class: 'ask round', 'aria-labelledby': 'round-title' }, form);
    this.dialog.addEventListener('close', () => this.dialog.remove());
  }

  open(): void {
    document.body.append(this.dialog);
    this.draw();
    this.dialog.showModal();
    this.input.input.focus();
  }

  /**
   * Sends a file or the text of the field to the server. The text of a file then replaces the
   * field's.
   */
  private async read(source: File | string): Promise<void> {
    const turn = ++this.asked;
    this.reading = true;
    this.draw();
    const boards = this.hall.byNumber().map((board) => board.name);
    const round = await readPairings(source, boards);
    if (turn !== this.asked) return; // A newer text is being read.
    this.reading = false;
    this.failure = typeof round === 'string' ? round : null;
    if (typeof round === 'string') this.take({ seats: [], problems: [], warnings: [], text: '' });
    else {
      if (typeof source !== 'string') this.input.input.value = round.text;
      this.take(round);
    }
  }

  private take(round: Round): void {
    this.problems = round.problems;
    this.warnings = round.warnings;
    this.lines = round.seats.map((seat) => ({
      seat,
      seq: this.hall.boards.get(seat.board)?.seq ?? 0,
      outcome: 'waiting',
      said: '',
    }));
    this.draw();
  }

  private draw(): void {
    const playing = this.lines.filter((line) => inProgress(this.hall.boards.get(line.seat.board)));
    const blocked = this.failure !== null || this.problems.length > 0 || (playing.length > 0 && !this.leave.value());
    const waiting = this.lines.filter((line) => line.outcome !== 'done');
    this.leave.node.hidden = playing.length === 0;
    // A round that is being started stays the one that is shown.
    this.file.disabled = this.input.input.disabled = this.running;
    this.start.disabled = this.running || this.reading || waiting.length === 0 || blocked;
    this.start.textContent = t('round.start', { count: waiting.length });
    fill(
      this.preview,
      this.failure === null ? null : h('p', { class: 'warning' }, refusalText(this.failure)),
      list('problems', this.problems),
      list('warnings', this.warnings),
      playing.length > 0
        ? h(
            'p',
            { class: 'warning' },
            t('round.playing', { count: playing.length, boards: playing.map((line) => line.seat.board).join(', ') }),
          )
        : null,
      this.lines.length > 0 ? this.table() : null,
      this.lines.length > 0 && this.problems.length === 0
        ? h('p', { class: 'hint' }, t('round.effect', { count: this.lines.length }))
        : null,
    );
  }

  private table(): HTMLElement {
    const rows = this.lines.map(({ seat: { board, headers }, outcome, said }) =>
      h(
        'tr',
        { class: `outcome-${outcome}` },
        h('th', { scope: 'row' }, board),
        h('td', {}, playerText(headers, 'White')),
        h('td', {}, playerText(headers, 'Black')),
        h('td', {}, outcome === 'waiting' ? '' : `${t(`outcome.${outcome}`)}${said ? ` – ${said}` : ''}`),
      ),
    );
    return h(
      'div',
      { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t('round.title') },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...[t('board'), t('side.white'), t('side.black'), t('round.answer')].map((head) =>
              h('th', { scope: 'col' }, head),
            ),
          ),
        ),
        h('tbody', {}, ...rows),
      ),
    );
  }

  /** Starts the boards one by one. Failures are listed and can be retried. */
  private async run(): Promise<void> {
    if (this.running || this.start.disabled) return;
    this.running = true;
    const shared = Object.fromEntries(
      [
        ['Event', this.event.value()],
        ['Round', this.round.value()],
      ].filter(([, value]) => value),
    );
    const rate = this.rate.value() ? { rate: this.rate.value() } : {};
    for (const line of this.lines) {
      if (line.outcome === 'done') continue;
      line.outcome = 'asked';
      this.draw();
      const headers = { ...line.seat.headers, ...shared };
      const start = line.seat.start_fen === null ? {} : { start_fen: line.seat.start_fen };
      const reply = await send(
        'arbiter',
        line.seat.board,
        'new_game',
        { headers, ...rate, ...start, if_seq: line.seq },
        { patienceMs: 6_000 },
      );
      line.outcome = reply.ok ? 'done' : 'refused';
      line.said = reply.ok ? '' : [refusalText(reply.code), reply.message].filter(Boolean).join(' ');
      // A retry applies to the state of the board at that time.
      if (!reply.ok) line.seq = this.hall.boards.get(line.seat.board)?.seq ?? line.seq;
    }
    this.running = false;
    const done = this.lines.filter((line) => line.outcome === 'done').length;
    announce(
      t('round.title'),
      t('round.done', { count: done, of: this.lines.length }),
      done === this.lines.length ? 'ok' : 'bad',
    );
    this.draw();
  }
}

function list(kind: 'problems' | 'warnings', findings: readonly Finding[]): HTMLElement | null {
  if (findings.length === 0) return null;
  const items = findings.map(({ line, trouble, detail }) =>
    h('li', {}, t('round.line', { line }), ': ', named('trouble', trouble, { detail })),
  );
  return h('ul', { class: kind }, ...items);
}

function inProgress(board: Board | undefined): boolean {
  const tile = board?.tile?.payload;
  return tile !== undefined && !tile.result && (tile.ply ?? 0) > 0;
}

function playerText(headers: Record<string, string>, tag: 'White' | 'Black'): string {
  const name = headers[tag] ?? '–';
  const more = [headers[`${tag}Title`], headers[`${tag}Elo`], headers[`${tag}Fed`]].filter(Boolean).join(' ');
  return more ? `${name} (${more})` : name;
}
