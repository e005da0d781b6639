// The arbiter's console: sign in, follow the hall, and show the tiles, the alerts or one board.

import { showFailures } from '../lib/failure';
import { askToSignIn } from '../lib/sign_in';
import { byId, fill } from '../lib/dom';
import { openFeed, type Feed } from '../lib/feed';
import { grantFor, readSession, signOut, type Grant } from '../lib/session';
import { acknowledge } from './acknowledge';
import { REMEDY_ACTIONS } from './actions/menu';
import { AlarmList, openAlerts } from './alarms';
import { Bell } from './bell';
import { Grid } from './grid';
import { Board, Hall } from './hall';
import { isHarmless, remediesFor, type Remedy } from './handling';
import { listen } from './keys';
import { placeNotes } from './notes';
import { Opened } from './opened';
import type { Alert } from './payloads';
import { resultTable, save } from './results';
import { openRound } from './round';
import { t } from './say';
import { Shell } from './shell';
import { labelOf, momentOf, stateText, type Subject } from './subject';
import { byUrgency } from './urgency';

showFailures();

/** Remedies available without opening the board, because the alert contains all the facts. */
const FROM_THE_TILE = new Set<Remedy>([
  'confirm_end',
  'confirm_earlier',
  'clock_set',
  'promotion',
  'proposed_result',
  'resume',
  'earlier_result',
]);

const RETRY_MS = 2_000;
/** The interval between checks of the daemons' health. */
const BEAT_MS = 1_000;

class Console {
  private readonly hall = new Hall(
    (board) => this.changed(board),
    (board) => this.grid.remove(board),
  );
  private readonly handlers = {
    acknowledge: (b: Board, a: Alert) => void acknowledge(b.name, a),
    decide: (b: Board, a: Alert) => this.decide(b, a),
  };
  private readonly grid = new Grid(this.handlers, () => this.now());
  private readonly alarms = new AlarmList({
    acknowledge: ({ board, alert }) => this.handlers.acknowledge(board, alert),
    decide: ({ board, alert }) => this.handlers.decide(board, alert),
  });
  private readonly bell = new Bell();
  private readonly shell: Shell;
  private readonly watchers = new Set<() => void>();
  private feed: Feed | null = null;
  private opened: Opened | null = null;
  /** The alert to be handled as soon as the opened board is known. */
  private pending: { board: string; alert: string } | null = null;
  private frame = 0;
  private entering = false;

  constructor(grant: Grant) {
    this.shell = new Shell({
      grid: this.grid,
      bell: this.bell,
      user: userOf(grant),
      startRound: () => openRound(this.hall),
      saveResults: () => save('results.csv', resultTable(this.hall.byNumber())),
      leave: () => void this.leave(),
    });
    fill(byId('console'), this.shell.element);
    placeNotes(document.body);
    listen({
      grid: this.grid,
      opened: () => this.opened,
      acknowledge: (board) => this.acknowledgeFirst(board),
      go: (board) => this.go(board),
      boards: () => this.hall.byNumber().map((board) => board.name),
      shell: this.shell,
    });
    window.addEventListener('hashchange', () => this.route());
    document.addEventListener('visibilitychange', () => {
      if (document.hidden && this.frame !== 0) this.refresh();
    });
  }

  start(): void {
    this.feed = openFeed(
      { audience: 'arbiter', view: 'tiles' },
      {
        hello: (hello) => this.shell.setSite(hello.site),
        value: (...value) => this.hall.take(...value),
        ready: () => {
          this.hall.beat(this.now());
          this.shell.setReady();
          this.refresh();
          this.bell.settle();
        },
        stale: (isStale, sinceMs, cause) => this.shell.setStale(isStale, sinceMs, cause),
        ended: (code) => void this.enterAgain(code),
      },
    );
    setInterval(() => this.hall.beat(this.now()), BEAT_MS);
    this.route();
  }

  private now(): number {
    return this.feed?.now() ?? Date.now();
  }

  private changed(board: Board): void {
    this.grid.change(board);
    if (this.opened?.board === board.name) this.opened.judge();
    for (const watcher of this.watchers) watcher();
    // A hidden page has no animation frames, but must ring all the same.
    if (document.hidden) this.refresh();
    else this.frame ||= requestAnimationFrame(() => this.refresh());
  }

  /** Updates everything that concerns the hall as a whole. */
  private refresh(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.shell.update(this.hall, this.opened?.board ?? null);
    this.bell.hear(openAlerts(this.hall));
    const areKnown = !this.hall.unreadableTopics().some((topic) => topic.endsWith('/alerts'));
    this.alarms.setNone(t(areKnown ? 'alarms.none' : 'alarms.unreadable'));
    if (this.alarms.element.isConnected) this.alarms.update(openAlerts(this.hall));
  }

  private go(board: string | null): void {
    location.hash = board === null ? '' : `board=${board}`;
  }

  private route(): void {
    const hash = location.hash.slice(1);
    const board = /^board=([a-z0-9-]{1,32})$/.exec(hash)?.[1] ?? null;
    const before = this.opened;
    if (before && before.board === board) return;
    this.opened = null;
    before?.close();
    if (board !== null) {
      this.opened = new Opened(
        board,
        this.hall,
        (opened) => this.decidePending(opened),
        (code) => void this.enterAgain(code),
      );
      this.shell.show('board', this.opened.element);
    } else if (hash === 'alarms') {
      this.shell.show('alarms', this.alarms.element);
    } else {
      this.shell.show('boards');
      if (before) this.grid.restore();
    }
    this.refresh();
  }

  private decide(board: Board, alert: Alert): void {
    const first = remediesFor(alert)[0];
    if (first && FROM_THE_TILE.has(first)) {
      void REMEDY_ACTIONS[first](this.subjectOf(board), alert);
      return;
    }
    this.pending = { board: board.name, alert: alert.id };
    if (this.opened?.board === board.name) this.decidePending(this.opened);
    else this.go(board.name);
  }

  private decidePending(opened: Opened): void {
    const wanted = this.pending;
    this.pending = null;
    const alert = opened.alerts().find((candidate) => opened.board === wanted?.board && candidate.id === wanted.alert);
    const remedy = alert && remediesFor(alert)[0];
    if (alert && remedy && remedy !== 'acknowledge') void REMEDY_ACTIONS[remedy](opened, alert);
  }

  private acknowledgeFirst(name: string): void {
    const board = this.hall.boards.get(name);
    const alert = byUrgency(board?.alerts?.payload.alerts ?? []).find(
      (candidate) => candidate.acknowledged_by === null,
    );
    if (!board || !alert) return;
    if (isHarmless(alert)) void acknowledge(board.name, alert);
    else this.decide(board, alert);
  }

  /** A board as the dialogs see it from its tile. */
  private subjectOf(board: Board): Subject {
    return {
      board: board.name,
      seq: () => board.seq,
      tile: () => board.tile,
      clock: () => board.clock,
      reading: () => board.reading,
      alerts: () => board.alerts?.payload.alerts ?? [],
      game: () => undefined,
      draw: () => undefined,
      illegalMoves: () => null,
      now: () => this.now(),
      moment: (about) => momentOf(about, board.tile?.payload, board.alerts?.payload.alerts ?? []),
      nowText: () => stateText(board.tile?.payload),
      watch: (changed) => {
        this.watchers.add(changed);
        return () => this.watchers.delete(changed);
      },
      label: () => labelOf(board.name, board.tile?.payload),
    };
  }

  /** The grant is gone: asks for a new one on top of the page, so that open dialogs are kept. */
  private async enterAgain(code: string): Promise<void> {
    if (this.entering) return;
    this.entering = true;
    // A user rejected by the broker has a session, but their credentials are no longer valid.
    this.shell.setUser(userOf(await enter(code === 'refused')));
    this.entering = false;
    this.feed?.reopen();
    this.opened?.reopen();
  }

  private async leave(): Promise<void> {
    this.feed?.close();
    await signOut('arbiter');
    location.reload();
  }
}

const userOf = (grant: Grant): string => grant.name ?? grant.user ?? '';

/** The arbiter's grant: the existing one unless `asked` is set, or else a new one. */
async function enter(asked = false, waiting: () => void = () => undefined): Promise<Grant> {
  let session = await readSession();
  while (session === null) {
    waiting();
    await new Promise((done) => setTimeout(done, RETRY_MS));
    session = await readSession();
  }
  let grant = asked ? undefined : grantFor(session, 'arbiter');
  while (!grant) {
    const signedIn = await askToSignIn({ roles: ['arbiter'], named: true, open: session.open });
    grant = signedIn ? grantFor(signedIn, 'arbiter') : undefined;
  }
  return grant;
}

/** Nothing is shown before the sign-in. */
async function begin(): Promise<void> {
  document.title = t('page.title');
  const grant = await enter(false, () => fill(byId('console'), t('page.no_server')));
  fill(byId('console'));
  new Console(grant).start();
}

void begin();
