/** The start page: an overview of the system, its state, and help where something is missing. */

import { onTick } from '../lib/clocks';
import { byId, fill, h, setText, show } from '../lib/dom';
import { showFailures } from '../lib/failure';
import { languagePicker } from '../lib/language_picker';
import { Live } from '../lib/live';
import type { BrokerFault } from '../lib/session';
import { v } from '../lib/vocabulary';
import { makeBuilder } from './builder';
import { makeCard, type Card } from './boards';
import { t, type Word } from './words';

showFailures();

interface Site {
  site: string;
  version: string;
  delay_ms: number;
  broker: boolean;
  /** Why the server does not read the broker for the public; null while it does. */
  broker_fault: BrokerFault | null;
  /** The address of the source; null if it is not set. */
  source: string | null;
  licence: string;
  boards: string[];
}

const BROKER_ADVICE: Record<BrokerFault, Word> = {
  unreachable: 'next_broker',
  no_public_user: 'next_no_user',
  public_user_refused: 'next_refused_user',
};

const ASK_AGAIN_MS = 5000;

const cards = new Map<string, Card>();
const list = h('div', { class: 'cards' });
const age = h('p', { class: 'age', role: 'status', hidden: true });
const next = h('section', { class: 'next', 'aria-labelledby': 'next-title', hidden: true });
const health = h('dl', { class: 'health' });
const about = h('p', { class: 'about' });
const boards = h(
  'section',
  { 'aria-labelledby': 'boards-title', id: 'boards', hidden: true },
  h('h2', { id: 'boards-title' }, t('boards')),
  age,
  list,
);
const chief = linkTo('chief', 'chief', 'chief_for');
const sites = h('ul', { class: 'pages', hidden: true });
const builder = makeBuilder();
let site: Site | null = null;
let checked = false;
/** The number of questions for the site so far: outdated answers are ignored. */
let asked = 0;

document.title = `remisd – ${t('lead')}`;
show(chief, false);

function linkTo(href: string, title: Word, text: Word): HTMLElement {
  return h('li', null, h('a', { href }, h('strong', null, t(title))), h('span', null, t(text)));
}

byId('head').append(h('div', null, h('h1', null, 'remisd'), h('p', null, t('lead'))), languagePicker());
byId('main').append(
  next,
  h(
    'section',
    { 'aria-labelledby': 'pages-title' },
    h('h2', { id: 'pages-title' }, t('pages')),
    h(
      'ul',
      { class: 'pages' },
      chief,
      linkTo('arbiter', 'arbiter', 'arbiter_for'),
      linkTo('operator', 'operator', 'operator_for'),
      linkTo('display', 'display', 'display_for'),
      linkTo('clock', 'clock', 'clock_for'),
      linkTo('overlay', 'overlay', 'overlay_for'),
    ),
    sites,
  ),
  boards,
  h(
    'section',
    { 'aria-labelledby': 'builder-title' },
    h('h2', { id: 'builder-title' }, t('builder')),
    h('p', { class: 'hint' }, t('builder_for')),
    builder.element,
  ),
  h('section', { 'aria-labelledby': 'health-title' }, h('h2', { id: 'health-title' }, t('health')), health),
);
byId('foot').append(about);

const live = new Live(
  { audience: 'public' },
  {
    draw(changed) {
      const ids = live.store.boards();
      if (ids.join() !== [...cards.keys()].join()) {
        const there = new Map(cards);
        cards.clear();
        for (const id of ids) cards.set(id, there.get(id) ?? makeCard(live, id));
        for (const card of cards.values()) card.draw();
        list.replaceChildren(...[...cards.values()].map((card) => card.element));
        builder.setBoards(ids);
      } else {
        for (const id of changed) cards.get(id)?.draw();
      }
      showNextStep();
    },
    ready: () => void ask(),
    age(note) {
      setText(age, note);
      show(age, note !== '');
      void ask();
    },
  },
);
onTick(() => {
  const now = live.now();
  for (const card of cards.values()) card.tick(now);
});

/** What is missing and what helps; empty while all is well. */
function advice(): string {
  if (site === null) return checked ? t('next_server') : '';
  if (site.broker_fault !== null) return t(BROKER_ADVICE[site.broker_fault]);
  const known = live.store.boards();
  if (known.length === 0) return t('next_none');
  const gone = known.filter((id) => !live.store.online(id));
  return gone.length === 0 ? '' : t('next_unplugged', { boards: gone.join(', ') });
}

function row(label: string, good: boolean | null, text: string): HTMLElement[] {
  const mark = good === null ? '' : good ? '✓ ' : '✗ ';
  return [h('dt', null, label), h('dd', { class: good === false ? 'bad' : '' }, `${mark}${text}`)];
}

function brokerState(fault: BrokerFault | null): Word {
  if (fault === null) return 'broker_up';
  return fault === 'unreachable' ? 'broker_down' : 'broker_refuses';
}

function showNextStep(): void {
  const text = advice();
  // A heading without content is useless.
  show(boards, cards.size > 0 || age.textContent !== '');
  show(next, text !== '');
  if (next.dataset['text'] !== text) {
    next.dataset['text'] = text;
    fill(next, h('h2', { id: 'next-title' }, t('next')), h('p', null, text));
  }
  const rows = row(t('server'), site !== null, t(site === null ? 'not_reached' : 'reached'));
  if (site !== null) {
    rows.push(...row(t('broker'), site.broker, t(brokerState(site.broker_fault))));
    for (const node of live.store.nodes.values()) {
      const state = live.store.stateOf(node);
      rows.push(...row(t('node', { node: node.node }), state === 'online', v(state)));
    }
    rows.push(
      ...row(
        t('delay'),
        null,
        site.delay_ms === 0 ? t('no_delay') : t('delay_of', { count: Math.round(site.delay_ms / 1000) }),
      ),
    );
    rows.push(...row(t('site'), null, site.site), ...row(t('version'), null, site.version));
  }
  if (health.textContent !== rows.map((one) => one.textContent).join('')) health.replaceChildren(...rows);
}

async function ask(): Promise<void> {
  const mine = ++asked;
  let answered: Site | null = null;
  try {
    const answer = await fetch('api/site', { cache: 'no-store' });
    if (answer.ok) answered = (await answer.json()) as Site;
  } catch {
    // The server is not there.
  }
  if (mine !== asked) return;
  site = answered;
  checked = true;
  if (site !== null && about.textContent === '') {
    const link =
      site.source !== null && /^https?:/.test(site.source)
        ? h('a', { href: site.source, rel: 'noreferrer' }, t('source'))
        : null;
    fill(about, link, `${link ? ' · ' : ''}remisd ${site.version} · ${t('licence')}: ${site.licence} · ${t('aid')}`);
  }
  showNextStep();
}

/** Links all sites of this server, also from the pages of one. */
async function askSites(): Promise<void> {
  const up = /\/site\/[a-z0-9-]+\/$/.test(location.pathname) ? '../../' : '';
  const answer = await fetch(`${up}api/sites`, { cache: 'no-store' }).catch(() => null);
  if (answer?.ok !== true) return;
  const { sites: all } = (await answer.json()) as { sites: { site: string; path: string }[] };
  show(chief, all.length > 1);
  chief.querySelector('a')?.setAttribute('href', `${up}chief`);
  show(sites, all.length > 1);
  const links = all.map(({ site: name, path }) =>
    h('li', null, h('a', { href: `${up}${path}` }, h('strong', null, name)), h('span', null, t('site_for'))),
  );
  fill(sites, ...links);
}

void ask();
void askSites();
setInterval(() => void ask(), ASK_AGAIN_MS);
