// The chief arbiter's page: the alerts of all sites in one list. A site's own console decides.

import { acknowledge } from '../arbiter/acknowledge';
import { AlarmList, compareOpen, consoleAddress, countBadges, counts, LEVELS } from '../arbiter/alarms';
import type { Site } from '../arbiter/alarms';
import { Bell, CAN, type Call } from '../arbiter/bell';
import { placeNotes } from '../arbiter/notes';
import type { Level } from '../arbiter/payloads';
import { t as console } from '../arbiter/say';
import { byId, fill, h, setText, show } from '../lib/dom';
import { showFailures } from '../lib/failure';
import { languagePicker } from '../lib/language_picker';
import { readSession, signIn, type Attempt, type SignIn } from '../lib/session';
import { askToSignIn } from '../lib/sign_in';
import { codeWords, v } from '../lib/vocabulary';
import { SiteView } from './site';
import { t } from './words';

showFailures();

const RETRY_MS = 2_000;
/** The interval between checks of the daemons' health. */
const BEAT_MS = 1_000;
/** How long the server may take to name the sites. */
const PATIENCE_MS = 8_000;

class Overview {
  private readonly views: SiteView[];
  private readonly list = new AlarmList({
    acknowledge: ({ board, alert, site }) => void acknowledge(board.name, alert, site),
    // The tab of the site's console, if it is open.
    decide: (open) => void window.open(consoleAddress(open), open.site?.site),
  });
  private readonly bell = new Bell();
  private readonly counts = h('p', { class: 'counts', role: 'status', 'aria-label': console('alarms.title') });
  private readonly missingText = h('span', { role: 'alert' });
  private readonly enter = h(
    'button',
    { type: 'button', hidden: true, onclick: () => void this.ask(this.signedOut()) },
    v('sign_in'),
  );
  private readonly missing = h('div', { class: 'banner gone-banner', hidden: true }, this.missingText, ' ', this.enter);
  private readonly silent = h(
    'div',
    { class: 'banner silent-banner', role: 'alert', hidden: true },
    h('span', {}, console('bell.silent')),
    ' ',
    h('button', { type: 'button', onclick: () => this.bell.unmute() }, console('bell.hear')),
  );
  /** The sites that were lost since the last frame. */
  private lost: string[] = [];
  private frame = 0;
  private asking = false;

  constructor(sites: readonly Site[]) {
    this.views = sites.map(
      (site) =>
        new SiteView(site, {
          changed: () => this.changed(),
          // Alerts from before the page was opened are visible and need not ring.
          known: (view) => this.bell.know(view.alarms()),
          lost: (view) => {
            this.lost.push(view.site.site);
            this.changed();
          },
          signIn: (view) => void this.ask([view]),
        }),
    );
    this.bell.settle();
    this.bell.onSilence = (silenced) => show(this.silent, silenced);
    show(this.silent, this.bell.silenced);
    fill(byId('console'), this.shell());
    placeNotes(document.body);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden && this.frame !== 0) this.refresh();
    });
    setInterval(() => this.views.forEach((view) => view.beat()), BEAT_MS);
  }

  private shell(): HTMLElement {
    const call = (which: Call): HTMLElement => {
      const box = h('input', {
        type: 'checkbox',
        checked: this.bell.wants(which),
        disabled: !CAN[which],
        onchange: () => this.bell.set(which, box.checked),
      });
      return h('label', { class: 'option' }, box, h('span', {}, console(`settings.${which}`)));
    };
    return h(
      'div',
      { class: 'shell' },
      h(
        'header',
        { class: 'bar' },
        h('h1', {}, t('title')),
        this.counts,
        h(
          'nav',
          { 'aria-label': console('shell.settings') },
          call('sound'),
          call('vibration'),
          languagePicker(),
          h('button', { type: 'button', onclick: () => void this.leave() }, console('settings.sign_out')),
        ),
      ),
      this.missing,
      this.silent,
      h(
        'main',
        { id: 'main' },
        this.list.element,
        h(
          'section',
          { class: 'all-sites', 'aria-labelledby': 'sites-title' },
          h('h2', { id: 'sites-title' }, t('sites')),
          h('div', { class: 'sites' }, ...this.views.map((view) => view.element)),
        ),
      ),
    );
  }

  /** Follows the sites where this browser is signed in, and asks if it is signed in nowhere. */
  async begin(): Promise<void> {
    const signedIn = await Promise.all(this.views.map((view) => view.begin()));
    if (!signedIn.includes(true)) await this.ask(this.views);
    this.changed();
  }

  private signedOut(): SiteView[] {
    return this.views.filter((view) => view.isSignedOut);
  }

  /** Asks for user and password, and signs in at these sites. */
  private async ask(views: readonly SiteView[]): Promise<void> {
    const [first] = views;
    if (this.asking || first === undefined) return;
    this.asking = true;
    const session = await readSession(first.site.path);
    await askToSignIn({
      roles: ['arbiter'],
      named: true,
      user: '',
      open: session?.open ?? [],
      at: first.site.path,
      ...(views.length === 1 ? { site: first.site.site } : {}),
      dismissible: true,
      attempt: (attempt) => enterAll(views, attempt),
    });
    this.asking = false;
  }

  private changed(): void {
    // A hidden page has no animation frames, but must ring all the same.
    if (document.hidden) this.refresh();
    else this.frame ||= requestAnimationFrame(() => this.refresh());
  }

  private refresh(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    for (const view of this.views) view.judge();
    for (const view of this.views) view.draw();
    const open = this.views.flatMap((view) => view.alarms()).sort(compareOpen);
    this.list.update(open);
    this.bell.hear(open);
    if (this.lost.length > 0) this.bell.call(t('lost', { sites: this.lost.join(', ') }));
    this.lost = [];
    const missing = this.views.filter((view) => !view.isComplete).map((view) => view.site.site);
    show(this.missing, missing.length > 0);
    setText(this.missingText, missing.length > 0 ? t('not_heard', { sites: missing.join(', ') }) : '');
    show(this.enter, this.signedOut().length > 0);
    this.list.setNone(this.noneText(missing.length));
    this.drawCounts();
  }

  /** What the list says without alerts: only what is heard is quiet. */
  private noneText(missing: number): string {
    if (missing === 0) return console('alarms.none');
    return t(missing < this.views.length ? 'quiet_elsewhere' : 'none_heard');
  }

  private drawCounts(): void {
    const sum: Record<Level, number> = { red: 0, amber: 0, grey: 0 };
    for (const view of this.views) {
      const found = counts(view.hall);
      for (const level of LEVELS) sum[level] += found[level];
    }
    const key = LEVELS.map((level) => sum[level]).join('/');
    if (this.counts.dataset['shown'] === key) return;
    this.counts.dataset['shown'] = key;
    fill(this.counts, ...countBadges(sum));
  }

  private async leave(): Promise<void> {
    const left = await Promise.all(this.views.map((view) => view.leave()));
    if (left.every(Boolean)) return location.reload();
    const sites = this.views.filter((_, index) => left[index] !== true).map((view) => view.site.site);
    window.alert(t('still_in', { sites: sites.join(', ') }));
    location.reload();
  }
}

/** At so many sites a user is refused before the password counts as wrong. */
const REFUSALS = 3;

/**
 * Signs in at each site in turn. A wrong password counts as a failed attempt at each, so some refusals
 * end it unless the password has proved right.
 */
async function enterAll(views: readonly SiteView[], attempt: Attempt): Promise<SignIn> {
  let entered: SignIn | null = null;
  let refusals = 0;
  for (const view of views) {
    const answer = await signIn(attempt, view.site.path);
    if (answer.ok) {
      entered = answer;
      view.open();
    } else {
      view.refused(t('refused', { reason: codeWords(answer.code) }));
      // Every other site would be waited for as long.
      if (entered !== null && answer.code !== 'refused') break;
      refusals += 1;
      if (entered === null && (answer.code !== 'refused' || refusals >= REFUSALS || refusals === views.length))
        return answer;
    }
  }
  return entered ?? { ok: false, code: 'offline', retryAfterS: null };
}

/** The sites of the server, or null if it cannot be reached. */
async function readSites(): Promise<Site[] | null> {
  try {
    const answer = await fetch('api/sites', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? ((await answer.json()) as { sites: Site[] }).sites : null;
  } catch {
    return null;
  }
}

async function begin(): Promise<void> {
  document.title = t('title');
  let sites = await readSites();
  while (sites === null) {
    fill(byId('console'), t('no_server'));
    await new Promise((done) => setTimeout(done, RETRY_MS));
    sites = await readSites();
  }
  await new Overview(sites).begin();
}

void begin();
