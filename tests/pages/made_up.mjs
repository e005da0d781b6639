// Made-up boards beside the demo's board, for pictures and measurements: moments of its game under
// made-up names.

import { board, credentials, signInAsArbiter, url } from './browser.mjs';

/** Short and long names, with and without titles, ratings and federations, and empty ones. */
const PLAYERS = [
  ['Lindqvist, Astrid', 'IM', '2431', 'SWE', 'Okonkwo, Daniel', 'FM', '2377', 'NGR'],
  [
    'Wadsworth-Featherstonehaugh, Maximilian Alexander',
    'GM',
    '2588',
    'ENG',
    'van der Weijden-Oosterbaan, Pieter-Jan',
    'GM',
    '2561',
    'NED',
  ],
  ['Li, Na', 'WGM', '2402', 'CHN', 'Ó Súilleabháin, Tadhg', '', '2210', 'IRL'],
  ['Müller, Jürgen', 'CM', '2198', 'GER', 'Kowalczyk, Zofia', 'WIM', '2305', 'POL'],
  ['Oud, Jan', '', '', '', 'Boom, Els', '', '', ''],
  ['Aksnes, Sigrid', 'FM', '2301', 'NOR', 'Rossi, Marco', 'IM', '2455', 'ITA'],
  ['', '', '', '', '', '', '', ''],
  ['Petrenko, Olha', 'WFM', '2188', 'UKR', 'Virtanen, Eero', '', '2176', 'FIN'],
];

function headers(number) {
  const [white, whiteTitle, whiteElo, whiteFed, black, blackTitle, blackElo, blackFed] =
    PLAYERS[(number - 1) % PLAYERS.length];
  const all = {
    Event: 'Town Championship',
    Round: '3',
    Board: String(number),
    White: white,
    WhiteTitle: whiteTitle,
    WhiteElo: whiteElo,
    WhiteFed: whiteFed,
    Black: black,
    BlackTitle: blackTitle,
    BlackElo: blackElo,
    BlackFed: blackFed,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The topic that shows a game to an audience. */
const LEAF = { public: 'game', hall: 'game', arbiter: 'tile' };
const ENOUGH = 50;
/** Which of the demo's alerts appears on which made-up board. */
const ALERTS = { 3: 'threefold_claimable', 5: 'fivefold', 8: 'fourth_occurrence' };

/**
 * Different moments of the first board's game as an audience sees it: as many as occur in a minute
 * and a half, or as a picture of many boards needs. For the arbiter also its alerts by code, each
 * with its moment.
 */
export async function collect(browser, audience) {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  const games = new Map();
  const alerts = new Map();
  let newest;
  let session;
  await page.routeWebSocket(/\/feed\?/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      const { type, topic, payload } = JSON.parse(String(message));
      const isOfBoard = type === 'value' && payload !== null;
      if (isOfBoard && topic === `${board}/availability`) session = payload.session;
      if (isOfBoard && topic === `${board}/${LEAF[audience]}`) {
        newest = payload;
        if ((payload.moves?.length ?? payload.ply) > 4) games.set(payload.fen.split(' ')[0], payload);
      }
      if (isOfBoard && topic === `${board}/alerts` && newest)
        for (const alert of payload.alerts) alerts.set(alert.code, { alert, moment: newest });
      socket.send(message);
    });
  });
  if (audience === 'arbiter') await signInAsArbiter(page);
  else await page.goto(audience === 'hall' ? `${url}/display${credentials('hall')}` : `${url}/overlay`);
  const isWhole = () =>
    games.size >= ENOUGH && (audience !== 'arbiter' || Object.values(ALERTS).every((code) => alerts.has(code)));
  for (const until = Date.now() + 90_000; Date.now() < until && !isWhole();) await page.waitForTimeout(300);
  await page.context().close();
  const moments = [...games.values()].sort((a, b) => (a.moves?.length ?? a.ply) - (b.moves?.length ?? b.ply));
  if (moments.length === 0) throw new Error(`no game is being played at ${url} on board ${board}`);
  return { audience, moments, alerts, session };
}

/**
 * Adds made-up boards to those of the feed. If the page is to be `deaf`, the feed then falls
 * silent.
 */
export function multiply(page, collected, count, deaf) {
  let told = false;
  return page.routeWebSocket(/\/feed\?/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      const isGame = frame.type === 'value' && frame.topic === `${board}/${LEAF[collected.audience]}`;
      if (isGame && frame.payload !== null) frame.payload.headers = headers(1);
      if (frame.type === 'ready')
        for (let number = 2; number <= count; number++)
          for (const value of madeUp(collected, number, count)) socket.send(JSON.stringify(value));
      if (!deaf || !told) socket.send(JSON.stringify(frame));
      told ||= frame.type === 'ready';
    });
  });
}

function madeUp({ audience, moments, alerts, session }, number, count) {
  const id = `b${number}`;
  const told = alerts.get(ALERTS[number]);
  const moment = told?.moment ?? moments[Math.floor((moments.length - 1) * (((number * 7 + 3) % count) / count))];
  const now = new Date().toISOString();
  const value = (leaf, payload) => ({
    type: 'value',
    topic: `${id}/${leaf}`,
    payload: { site: moment.site, board: id, session, seq: moment.seq, time: now, ...payload },
    received: now,
  });
  const values = [
    value(LEAF[audience], game(moment, number, id, now)),
    value('availability', { schema: 'remisd/availability/1', state: number === 11 ? 'offline' : 'online' }),
  ];
  if (audience !== 'arbiter') {
    if (number === 2) values.push(value('offer', { schema: 'remisd/offer/1', by: 'white', by_claim: false }));
    return values;
  }
  const link = { up: true, kind: 'dgt', port: '/dev/ttyACM0', confidence: 'certain', orientation: 'normal' };
  values.push(
    value('alerts', {
      schema: 'remisd/alerts/1',
      alerts: told ? [{ ...told.alert, id: `${id}-${told.alert.id}` }] : [],
    }),
    value('link', { schema: 'remisd/link/1', ...link, battery: 97 - number * 4, faulty_squares: [], counters: {} }),
  );
  return values;
}

function game(moment, number, id, now) {
  const isOver = number % 6 === 4;
  const result = isOver && {
    score: ['1-0', '1/2-1/2', '0-1'][number % 3],
    reason: ['resignation', 'agreement', 'flag_fall'][number % 3],
    confirmed: true,
  };
  const clocks = moment.clocks && {
    ...moment.clocks,
    white_ms: moment.clocks.white_ms - number * 211_000,
    black_ms: moment.clocks.black_ms - number * 173_000,
    running: isOver ? null : moment.clocks.running,
  };
  return { ...moment, board: id, time: now, clocks_at: now, headers: headers(number), result: result || null, clocks };
}
