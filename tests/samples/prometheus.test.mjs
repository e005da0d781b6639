// The rules of config/prometheus and the dashboard of config/grafana beside a real Prometheus that
// reads the metrics of a real daemon.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Venue, commented, freePort, listening, program, read, root } from './venue.mjs';

const RULES = 'config/prometheus/remisd.rules.yml';
/** How often Prometheus asks: a second instead of a quarter of a minute. */
const EVERY = '1s';
const PATIENCE_MS = 60_000;
const venue = new Venue();
let prometheus;

/** The settings that the sample has in its comment, with the places of the test. */
function settings() {
  const lines = commented(RULES, 'rule_files:').join('\n');
  const changes = [
    ['- remisd.rules.yml', `- ${join(root, RULES)}`],
    ['scrape_interval: 15s', `scrape_interval: ${EVERY}`],
    ['127.0.0.1:9120', `127.0.0.1:${venue.http}`],
  ];
  const placed = changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  }, lines);
  return `global: { evaluation_interval: ${EVERY} }\n${placed}\n`;
}

/** Asks Prometheus. */
async function api(path, parameters = {}) {
  const response = await fetch(`http://127.0.0.1:${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const answer = await response.json();
  assert.equal(answer.status, 'success', `${JSON.stringify(parameters)}: ${answer.error}`);
  return answer.data;
}
const query = async (expression) => (await api('query', { query: expression })).result;

/** Asks until the answer is as wanted. */
async function until(expression, wanted) {
  for (const late = Date.now() + PATIENCE_MS; Date.now() < late;) {
    const result = await query(expression);
    if (wanted(result)) return result;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return assert.fail(`${expression} is not as wanted`);
}

before(async () => {
  await venue.broker();
  await venue.daemon();
  prometheus = await freePort();
  const config = venue.write('prometheus.yml', settings());
  venue.run('promtool', ['check', 'config', config]);
  const store = `--storage.tsdb.path=${join(venue.folder, 'data')}`;
  const at = `--web.listen-address=127.0.0.1:${prometheus}`;
  await venue.start('prometheus', [`--config.file=${config}`, store, at, '--log.level=error']);
  await listening(prometheus);
  await until('remisd_board_up', (boards) => boards[0]?.value[1] === '1');
  // A command that is refused: its counter exists only then.
  const refused = ['-h', '127.0.0.1', '-p', String(venue.mqtt), '-u', 'arbiter', '-P', venue.password('arbiter')];
  venue.run('mosquitto_pub', [...refused, '-t', 'chess/v1/hall/cmd/arbiter/b1/resume', '-m', '{"id":"no-pause"']);
  await until('remisd_commands_not_done_total', (counters) => counters.length > 0);
});
after(() => venue.close());

test('promtool accepts the rules, and each fires when it should', () => {
  venue.run('promtool', ['check', 'rules', join(root, RULES)]);
  venue.run('promtool', ['test', 'rules', join(root, 'tests/samples/rules.yml')]);
});

test('every series that a rule names is a metric of the daemon, and no sound daemon is at fault', async () => {
  const names = new Set(await api('label/__name__/values'));
  const { groups } = await api('rules');
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length > 10);
  for (const rule of rules) {
    const named = rule.query.match(/\bremisd_\w+/g) ?? [];
    for (const name of named) assert.ok(names.has(name), `${rule.name}: ${name}`);
    assert.ok(named.length > 0 || rule.query.includes('up{'), rule.name);
    // Without its threshold a rule finds something: no selector is wrong.
    const [value] = rule.query.split(/ (?:==|>) /);
    if (!rule.query.startsWith('absent')) assert.ok((await until(value, (all) => all.length > 0)).length > 0, value);
    assert.equal(rule.health, 'ok', rule.lastError);
  }
  assert.deepEqual(await query('ALERTS{severity="page",alertstate="firing"}'), []);
});

test('every query of the dashboard finds something', async () => {
  const dashboard = JSON.parse(read('config/grafana/remisd.json'));
  assert.match(read('config/grafana/remisd.json').split('\n')[0], /No test opens this in Grafana/);
  const ids = dashboard.panels.map((panel) => panel.id);
  assert.equal(new Set(ids).size, ids.length);
  const expressions = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  for (const expression of expressions) {
    const placed = expression.replaceAll('$__rate_interval', '10s').replaceAll('$board', 'b1');
    assert.ok(!placed.includes('$'), placed);
    await until(placed, (result) => result.length > 0);
  }
  const variable = dashboard.templating.list.find((one) => one.name === 'board').query.query;
  const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(variable);
  assert.deepEqual(await api(`label/${label}/values`, { 'match[]': metric }), ['b1']);
});

test('every metric of the daemon is on the dashboard', async () => {
  const text = await (await fetch(`http://127.0.0.1:${venue.http}/metrics`)).text();
  const shown = read('config/grafana/remisd.json');
  const metrics = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  assert.ok(metrics.length > 15);
  const missing = metrics.filter(
    (name) => !shown.includes(name) && !['remisd_board_answers', 'remisd_board_seq'].includes(name),
  );
  assert.deepEqual(missing, []);
});

test('a broker and a board that are gone become alerts', async () => {
  const [board, broker] = ['simulate', 'mosquitto'].map((word) =>
    venue.children.find((child) => child.name === (word === 'mosquitto' ? 'mosquitto -c' : `${program} ${word}`)),
  );
  await venue.end(broker);
  await venue.end(board);
  const both = 'ALERTS{alertname=~"RemisdBrokerDown|RemisdBoardDown"}';
  await until(both, (alerts) => alerts.length === 2);
});
