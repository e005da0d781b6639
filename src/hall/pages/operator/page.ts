/** The operator's page: what is wrong with boards and broadcast, and what to do. */

import { enter } from '../lib/access';
import { byId, fill, h, setText, show } from '../lib/dom';
import { showFailures } from '../lib/failure';
import { openFeed, type Feed } from '../lib/feed';
import { languagePicker } from '../lib/language_picker';
import { signOut } from '../lib/session';
import { byName } from '../lib/store';
import type { Role } from '../lib/topics';
import { ageWords, v } from '../lib/vocabulary';
import { byLevel, type Level } from './faults';
import { Hall } from './hall';
import { makeCard, type Card } from './node';
import { COLUMNS, makeRow, type Row } from './row';
import { t } from './words';

showFailures();

const head = byId('head');
const age = byId('age');
const main = byId('main');
document.title = `remisd – ${t('title')}`;

const nodes = h('section', { class: 'nodes', 'aria-label': t('daemons') });
const body = h('tbody');
const sum = h('p', { class: 'sum', role: 'status' });
const table = h(
  'table',
  { 'aria-label': t('boards') },
  h('thead', {}, h('tr', {}, ...COLUMNS.map((column) => h('th', { scope: 'col' }, t(column))))),
  body,
);

let hall = new Hall();
let feed: Feed | null = null;
let role: Role = 'operator';
/** The number of the current sign-in: what an earlier one brings is ignored. */
let round = 0;
let whole = false;
let scheduled = false;
const rows = new Map<string, Row>();
const cards = new Map<string, Card>();

function drawRows(now: number): Level[] {
  const levels = new Map<string, Level>();
  for (const id of rows.keys()) if (!hall.boards.has(id)) rows.delete(id);
  for (const id of hall.names()) {
    const row = rows.get(id) ?? makeRow(id);
    rows.set(id, row);
    levels.set(id, row.draw(hall, now));
  }
  const order = [...levels].sort(([a, one], [b, other]) => byLevel(one, other) || byName(a, b));
  const wanted = order.flatMap(([id]) => rows.get(id)?.element ?? []);
  // Rows that stay in their place are not touched: somebody may be reading.
  wanted.forEach((element, place) => {
    if (body.children[place] !== element) body.insertBefore(element, body.children[place] ?? null);
  });
  while (body.children.length > wanted.length) body.lastElementChild?.remove();
  return [...levels.values()];
}

function drawCards(now: number): void {
  for (const [name, card] of cards)
    if (!hall.nodes.has(name)) {
      card.element.remove();
      cards.delete(name);
    }
  for (const [name, node] of [...hall.nodes].sort(([a], [b]) => byName(a, b))) {
    let card = cards.get(name);
    if (card === undefined) {
      card = makeCard(role, name);
      cards.set(name, card);
      nodes.append(card.element);
    }
    card.draw(node, now);
  }
}

function draw(): void {
  scheduled = false;
  if (feed === null || !whole) return;
  const now = feed.now();
  drawCards(now);
  const levels = drawRows(now);
  const count = (level: Level): number => levels.filter((one) => one === level).length;
  const found = { red: count('red'), amber: count('amber'), good: count('good') };
  // Without boards there is no data, so “nothing to repair” would be wrong.
  setText(sum, levels.length === 0 ? t('no_boards') : t('sum', found));
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(draw);
}

function forget(): void {
  hall = new Hall();
  whole = false;
  rows.clear();
  cards.clear();
  fill(nodes);
  fill(body);
  setText(sum, t('connecting'));
}

async function open(asking = false): Promise<void> {
  const mine = ++round;
  feed?.close();
  feed = null;
  forget();
  fill(main);
  const entered = await enter({
    roles: ['operator', 'arbiter'],
    named: true,
    asking,
    trouble(reason) {
      setText(age, reason);
      show(age, reason !== '');
    },
  });
  if (mine !== round) return;
  role = entered.role;
  const out = h('button', { type: 'button', onclick: () => void leave() }, v('sign_out'));
  fill(head, h('h1', {}, t('title')), sum, h('div', { class: 'tools' }, languagePicker(), out));
  fill(main, nodes, table);
  feed = openFeed(
    { audience: role === 'arbiter' ? 'arbiter' : 'operator' },
    {
      hello: () => {
        whole = false;
      },
      value: (...value) => {
        if (hall.take(...value)) schedule();
      },
      ready: () => {
        whole = true;
        schedule();
      },
      beat: schedule,
      stale(isStale, sinceMs, cause) {
        const what = cause === 'server' ? 'stale_server' : 'stale_broker';
        setText(age, isStale ? v(what, { age: ageWords(sinceMs) }) : '');
        show(age, isStale);
      },
      ended: () => void open(),
    },
  );
}

/** Signs out once, and asks for the next user. */
async function leave(): Promise<void> {
  if (feed === null) return;
  feed.close();
  feed = null;
  await signOut(role);
  await open(true);
}

fill(head, h('h1', {}, t('title')), h('div', { class: 'tools' }, languagePicker()));
void open();
