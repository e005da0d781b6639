// Samples for programs that no test can run, against the project's own documents: the scenes of
// config/obs, whose pages a browser shows, and the blueprint of config/homeassistant.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from '../pages/browser.mjs';
import { Venue, read, root } from './venue.mjs';

const venue = new Venue();
const BLUEPRINT = 'config/homeassistant/remisd-alert.yaml';
const scenes = JSON.parse(read('config/obs/remisd.json'));
const browsers = scenes.sources.filter(({ id }) => id === 'browser_source');
let browser;

before(async () => {
  await venue.broker();
  await venue.daemon();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await venue.close();
});

/** The first cells of the table below a heading of docs/pages.md, without their quotes. */
function rows(heading, columns) {
  const [, section] = read('docs/pages.md').split(`${heading}\n`);
  const lines = section
    .split(/\n#+ /)[0]
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return lines.map((line) => line.split('|').slice(1, 1 + columns));
}

test('what no test opens says so in its first line', () => {
  assert.match(read('config/obs/remisd.json').split('\n')[0], /No test opens this in OBS/);
  assert.match(read(BLUEPRINT).split('\n')[0], /No test runs this in Home Assistant/);
});

test('each scene shows sources that exist', () => {
  const byName = new Map(scenes.sources.map((source) => [source.name, source]));
  assert.equal(byName.size, scenes.sources.length);
  const order = scenes.scene_order.map(({ name }) => name);
  assert.ok(order.includes(scenes.current_scene));
  const shown = new Set();
  for (const name of order) {
    const { id, settings } = byName.get(name);
    assert.equal(id, 'scene');
    for (const item of settings.items) {
      assert.equal(item.source_uuid, byName.get(item.name).uuid);
      const { width, height } = byName.get(item.name).settings;
      assert.ok(item.pos.x + width <= 1920 && item.pos.y + height <= 1080, `${item.name} is outside the canvas`);
      shown.add(item.name);
    }
  }
  assert.deepEqual([...shown].sort(), browsers.map(({ name }) => name).sort());
});

test('each address has documented parameters, and each style a documented class', () => {
  const parameters = new Map(rows('## Overlay: `/overlay`', 2).map(([name, values]) => [name.trim(), values]));
  const classes = read('docs/pages.md')
    .match(/^\| `\.[a-z]+`/gm)
    .map((cell) => cell.slice(3, -1));
  for (const { name, settings } of browsers) {
    const address = new URL(settings.url);
    assert.equal(`${address.origin}${address.pathname}`, 'http://127.0.0.1:9120/overlay', name);
    for (const [key, value] of address.searchParams) {
      const values = parameters.get(`\`${key}\``);
      assert.ok(values, `${name}: ${key}`);
      if (key === 'layout') assert.ok(values.includes(`\`${value}\``), `${name}: ${value}`);
    }
    for (const used of settings.css.match(/\.[a-z]+(?=[^;}]*\{)/g) ?? [])
      assert.ok(classes.includes(used), `${name}: ${used}`);
  }
});

test('docs/broadcast.md has the size of each source', () => {
  const text = read('docs/broadcast.md');
  for (const { name, settings } of browsers)
    assert.ok(text.includes(`| ${name} | ${settings.width} × ${settings.height} |`), name);
});

for (const { name, settings } of browsers) {
  test(`the page of "${name}" fits, and its style applies`, async () => {
    const { width, height, url, css } = settings;
    const context = await browser.newContext({ viewport: { width, height } });
    const tab = await context.newPage();
    const troubles = [];
    tab.on('pageerror', (error) => troubles.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    await tab.goto(url.replace('http://127.0.0.1:9120', `http://127.0.0.1:${venue.http}`));
    // As OBS does it: a style element at the end of the page.
    await tab.evaluate((text) => {
      const style = document.createElement('style');
      style.textContent = text;
      document.head.append(style);
    }, css);
    const layout = new URL(url).searchParams.get('layout');
    const shown = { ticker: '.item', table: '.standings' }[layout] ?? '.view:not(.empty) .board[aria-label*=":"]';
    await tab.waitForSelector(shown);
    for (const element of await tab.$$(shown)) {
      const box = await element.boundingBox();
      const inside = box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
      assert.ok(inside && box.height >= 40, JSON.stringify(box));
    }
    for (const [, selector, property, value] of css.matchAll(/^(\.[^{]+) \{ ([a-z-]+): ([^;]+); \}$/gm)) {
      const styled = await tab.$eval(selector, (one, key) => getComputedStyle(one).getPropertyValue(key), property);
      assert.equal(styled, value, selector);
    }
    assert.deepEqual(troubles, []);
    await context.close();
  });
}

/** The alerts of protocol/mqtt.md, changed. */
function alerts(change) {
  const [, example] = /`chess\/v1\/hall\/arbiter\/b1\/alerts`:\n\n```json\n([^]*?)```/.exec(read('protocol/mqtt.md'));
  const payload = JSON.parse(example);
  return JSON.stringify({ ...payload, alerts: payload.alerts.flatMap(change) });
}

/** The blueprint with the defaults of its inputs, for each payload. */
function blueprint(...payloads) {
  const loader = join(root, 'tests/samples/load_yaml.py');
  const args = ['-B', loader, join(root, BLUEPRINT), ...payloads];
  return JSON.parse(execFileSync('/usr/bin/python3', args, { encoding: 'utf8' }));
}

test('the blueprint acts on red alerts that nobody has acknowledged, and on nothing else', () => {
  const red = (alert) => ({ ...alert, level: 'red' });
  const other = (alert) => ({ ...red(alert), code: 'node_twice', text: { de: 'Anderer' } });
  const [amber, one, two, seen, none] = blueprint(
    alerts((alert) => alert),
    alerts(red),
    alerts((alert) => [alert, red(alert), other(alert)]),
    alerts((alert) => ({ ...red(alert), acknowledged_by: 'Anna Smit' })),
    alerts(() => []),
  );
  for (const quiet of [amber, seen, none]) {
    assert.equal(quiet.actions[0].action, 'persistent_notification.dismiss');
    assert.equal(quiet.actions[0].data.notification_id, 'remisd-b1');
  }
  const { text, code } = JSON.parse(alerts(red)).alerts[0];
  assert.equal(one.actions[0].action, 'persistent_notification.create');
  assert.equal(one.actions[0].data.message, text.en);
  assert.deepEqual(two.variables.codes, [code, 'node_twice']);
  assert.equal(two.variables.message, `${text.en} node_twice`);
});

test('the topic of the blueprint is one that arbiters get, and its languages are those of the daemon', () => {
  const document = read(BLUEPRINT);
  const topic = /default: (chess\S+)/.exec(document)[1];
  const [, audience, leaf] = /^chess\/v1\/[a-z0-9-]+\/([a-z]+)\/\+\/([a-z]+)$/.exec(topic);
  const table = read('protocol/mqtt.md').split('<!-- table leaves')[1].split('<!-- end')[0].split('\n');
  const cells = (line) => line.split('|').map((cell) => cell.trim());
  const header = cells(table.find((line) => line.startsWith('| leaf')));
  const row = cells(table.find((line) => line.startsWith(`| \`${leaf}\``)));
  assert.equal(row[header.indexOf(audience)], 'yes');
  const languages = /options: \[(.*)\]/.exec(document)[1].split(', ');
  const [, known] = /order of preference: ([^(]*\([^)]*\), nl)/.exec(
    read('config/remisd.toml').replaceAll('\n# ', ' '),
  );
  assert.deepEqual(languages, known.replace(/ \([^)]*\)/, '').split(', '));
  // The access list of Home Assistant's user admits it.
  assert.ok(read('examples/home-assistant/README.md').includes('topic read chess/v1/+/arbiter/+/alerts'));
});
