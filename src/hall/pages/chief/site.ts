// One site on the chief arbiter's page: its feed, its alerts, and whether they are complete.

import { countBadges, counts, openAlerts, type Open, type Site } from '../arbiter/alarms';
import { Hall, SILENT_MS, type Board, type Doubt } from '../arbiter/hall';
import { t as console, timeOfDay } from '../arbiter/say';
import { mistrustTexts } from '../arbiter/mistrust';
import { fill, h, setText, show } from '../lib/dom';
import { openFeed, type Feed, type StaleCause } from '../lib/feed';
import { lateness } from '../lib/lateness';
import { grantFor, readSession, signOut } from '../lib/session';
import { ageWords, v } from '../lib/vocabulary';
import { t } from './words';

/** Why the feed tells nothing new; null while it does. */
type Trouble =
  { kind: 'loading' } | { kind: 'signed_out'; text: string } | { kind: 'stale'; text: string; age: string };

/**
 * A value that took longer to arrive waited on the way, and later ones may still be waiting. As a
 * console trusts a computer for so long without a word, it may be late by that much.
 */
const WAITED_MS = SILENT_MS;
/** Values that waited come one after another. After this time without one, none is left. */
const CAUGHT_UP_MS = 5_000;
/** The topics whose time is that of what they say. */
const DATED = /^[^/]+\/(alerts|tile|clock)$/;
/** The doubts in which a board's alerts are the last known ones. */
const OLD: ReadonlySet<Doubt> = new Set(['node_lost', 'node_silent', 'node_offline']);
const RETRY_MS = 2_000;
/** After so many seconds without complete alerts a site is lost: shorter gaps call nobody. */
const LOST_BEATS = 10;

export interface SiteHandlers {
  changed(): void;
  /** The alerts from before the page was opened are known. */
  known(view: SiteView): void;
  /** The alerts of the site have not been complete for a while. */
  lost(view: SiteView): void;
  signIn(view: SiteView): void;
}

export class SiteView {
  readonly hall: Hall;
  readonly element: HTMLElement;
  private feed: Feed | null = null;
  private trouble: Trouble | null = { kind: 'loading' };
  /** When a value came that had waited, in milliseconds since the page was opened. */
  private waitedAt = -Infinity;
  private wasComplete = false;
  /** Whether the feed was ready once, so that later alerts are new. */
  private isKnown = false;
  /** The seconds since the alerts were complete; null while the site counts as lost. */
  private missed: number | null = null;
  /** When the alerts were complete last, on the server's clock. */
  private completeAt: number | null = null;
  private readonly counts = h('span', { class: 'counts' });
  private readonly state = h('span', { role: 'status' });
  /** Not announced: it changes every second. */
  private readonly age = h('span', { 'aria-hidden': 'true' });
  private readonly line = h('p', { class: 'state' }, this.state, ' ', this.age);
  private readonly sum = h('p', { class: 'sum' });
  private readonly enter = h('button', { type: 'button', class: 'primary', hidden: true }, v('sign_in'));

  constructor(
    readonly site: Site,
    private readonly on: SiteHandlers,
  ) {
    this.hall = new Hall(
      () => this.on.changed(),
      () => this.on.changed(),
    );
    this.enter.setAttribute('aria-label', `${v('sign_in')}, ${site.site}`);
    this.enter.addEventListener('click', () => this.on.signIn(this));
    this.element = h(
      'article',
      { class: 'site', 'aria-label': site.site },
      h('h3', {}, h('a', { href: `${site.path}arbiter`, target: site.site, title: t('open') }, site.site), this.counts),
      this.sum,
      this.line,
      this.enter,
    );
  }

  /** Whether all alerts of the site are known now. */
  get isComplete(): boolean {
    return this.trouble === null && this.doubts().length === 0;
  }

  get isSignedOut(): boolean {
    return this.trouble?.kind === 'signed_out';
  }

  /** Follows the site if this browser is signed in there; returns whether it is. */
  async begin(): Promise<boolean> {
    let session = await readSession(this.site.path);
    while (session === null) {
      this.set({ kind: 'stale', text: t('no_server'), age: '' });
      await new Promise((done) => setTimeout(done, RETRY_MS));
      session = await readSession(this.site.path);
    }
    if (!grantFor(session, 'arbiter')) {
      this.refused(t('signed_out'));
      return false;
    }
    this.open();
    return true;
  }

  /** Follows the site, where somebody has signed in. */
  open(): void {
    this.set({ kind: 'loading' });
    if (this.feed !== null) return this.feed.reopen();
    this.feed = openFeed(
      { audience: 'arbiter', view: 'tiles', at: this.site.path },
      {
        value: (...value) => this.take(...value),
        ready: () => {
          this.hall.beat(this.feed?.now() ?? Date.now());
          // The feed says when a stale site is fresh again.
          if (this.trouble?.kind !== 'stale') this.trouble = null;
          if (!this.isKnown) this.on.known(this);
          this.isKnown = true;
          this.on.changed();
        },
        stale: (isStale, sinceMs, cause) => this.stale(isStale, sinceMs, cause),
        ended: () => this.refused(t('signed_out')),
      },
    );
  }

  /** Nobody is signed in at the site, for this reason. */
  refused(text: string): void {
    this.set({ kind: 'signed_out', text });
  }

  /** Looks at what changes by itself, with time. */
  beat(): void {
    if (this.feed !== null) this.hall.beat(this.feed.now());
    if (this.isComplete !== this.wasComplete) this.on.changed();
    if (this.isComplete || this.missed === null) return;
    this.missed += 1;
    if (this.missed < LOST_BEATS) return;
    this.missed = null;
    this.on.lost(this);
  }

  /** Signs out; returns whether that has worked. */
  async leave(): Promise<boolean> {
    this.feed?.close();
    return signOut('arbiter', this.site.path);
  }

  /** The open alerts; those that may be over are marked as old. */
  alarms(): Open[] {
    return openAlerts(this.hall, this.site).map((one) =>
      this.isOld(one.board) ? { ...one, old: this.oldText(one.board) } : one,
    );
  }

  /** Up to when the alerts of a board are known, in words. */
  private oldText({ lostAt }: Board): string {
    // A line that is lost is noticed later than that.
    const until = [lostAt ?? this.hall.heardUntil(), this.completeAt].filter(
      (time) => time !== null && Number.isFinite(time),
    ) as number[];
    if (until.length === 0) return t('old_unknown');
    return t('old', { time: timeOfDay(new Date(Math.min(...until)).toISOString()) });
  }

  /** Whether the alerts of a board are only the last known ones. The other boards' are not. */
  private isOld({ doubt }: Board): boolean {
    if (this.trouble !== null || !this.hall.hasNodes || this.isCatchingUp) return true;
    return doubt !== null && OLD.has(doubt);
  }

  private get isCatchingUp(): boolean {
    return performance.now() - this.waitedAt < CAUGHT_UP_MS;
  }

  private take(topic: string, payload: unknown, received: string | null, isUnreadable: boolean): void {
    const { session, time } = (payload ?? {}) as { session?: string; time?: string };
    if (received !== null && time !== undefined && DATED.test(topic)) {
      const sent = lateness.sentAt(session, time, received, null);
      if (Date.parse(received) - sent > WAITED_MS) this.waitedAt = performance.now();
    }
    this.hall.take(topic, payload, received, isUnreadable);
  }

  private stale(isStale: boolean, sinceMs: number, cause: StaleCause): void {
    // The reason of a sign-out is more important.
    if (this.isSignedOut) return;
    const text = console(cause === 'server' ? 'stale.server' : 'stale.broker');
    this.set(isStale ? { kind: 'stale', text, age: ageWords(sinceMs) } : null);
  }

  private set(trouble: Trouble | null): void {
    this.trouble = trouble;
    this.on.changed();
  }

  /** Notices that the alerts are complete. Called before the alerts are drawn and heard. */
  judge(): void {
    this.wasComplete = this.isComplete;
    if (!this.wasComplete) return;
    this.completeAt = this.feed?.now() ?? null;
    this.missed = 0;
  }

  /** Why the alerts may be incomplete although the feed runs. */
  private doubts(): string[] {
    if (!this.hall.hasNodes) return [t('no_node'), ...mistrustTexts(this.hall)];
    const gone = this.hall
      .gone()
      .map(({ node, state }) => console(state === 'lost' ? 'shell.node_lost' : 'shell.node_offline', { node }));
    gone.push(...this.hall.silentNodes().map((node) => console('shell.node_silent', { node })));
    gone.push(...this.hall.unheardNodes().map((node) => t('no_health', { node })));
    gone.push(...mistrustTexts(this.hall));
    if (this.isCatchingUp) gone.push(t('catching_up'));
    return gone;
  }

  draw(): void {
    const found = counts(this.hall);
    const key = Object.values(found).join('/');
    if (this.counts.dataset['shown'] !== key) {
      this.counts.dataset['shown'] = key;
      fill(this.counts, ...countBadges(found));
    }
    const boards = [...this.hall.boards.values()];
    const ended = boards.filter((board) => (board.tile?.payload.result ?? null) !== null).length;
    const sum = [t('boards', { count: boards.length }), ended > 0 ? t('ended', { count: ended }) : ''];
    setText(this.sum, sum.filter(Boolean).join(' · '));
    show(this.enter, this.isSignedOut);
    setText(this.state, this.stateText(boards.filter((board) => board.doubt !== null).length));
    setText(this.age, this.trouble?.kind === 'stale' ? this.trouble.age : '');
    show(this.line, this.state.textContent !== '');
    this.element.classList.toggle('incomplete', !this.isComplete);
  }

  private stateText(doubtful: number): string {
    if (this.trouble?.kind === 'loading') return t('loading');
    if (this.trouble !== null) return this.trouble.text;
    const doubts = this.doubts();
    if (doubtful > 0) doubts.push(console('shell.untrusted', { count: doubtful }));
    return doubts.join(' ');
  }
}
