// Pictures of every page for the documentation, from a running hall:
//
//   REMISD_URL=http://127.0.0.1:8080 node tests/pages/screenshots.mjs [FOLDER]
//
// One board is enough, as `remisd demo` has it: where a picture wants many, the moments of its game stand on made-up
// boards beside it, under made-up names. The folder is docs/screenshots.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { board, credentials, launch, url } from './browser.mjs';

const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

/** Short and long, with and without titles, ratings and federations, and nobody at all. */
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

/** Different moments of the first board's game, as many as there are or as are needed for a picture of many boards. */
async function collect(browser, audience) {
  const page = await (await browser.newContext()).newPage();
  const moments = new Map();
  await page.routeWebSocket(/\/feed\?/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.type === 'value' && frame.topic === `${board}/game` && frame.payload?.moves.length > 4)
        moments.set(frame.payload.fen.split(' ')[0], frame.payload);
      socket.send(message);
    });
  });
  await page.goto(audience === 'hall' ? `${url}/display${credentials('hall')}` : `${url}/overlay`);
  for (const until = Date.now() + 90_000; Date.now() < until && moments.size < 50;) await page.waitForTimeout(300);
  await page.context().close();
  return [...moments.values()].sort((a, b) => a.moves.length - b.moves.length);
}

/** Puts made-up boards beside those of the feed, which falls silent after that where the page is to be `deaf`. */
function multiply(page, moments, count, deaf) {
  let told = false;
  return page.routeWebSocket(/\/feed\?/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.type === 'value' && frame.topic === `${board}/game` && frame.payload !== null)
        frame.payload.headers = headers(1);
      if (frame.type === 'ready')
        for (let number = 2; number <= count; number++)
          for (const value of madeUp(moments, number, count)) socket.send(JSON.stringify(value));
      if (!deaf || !told) socket.send(JSON.stringify(frame));
      told ||= frame.type === 'ready';
    });
  });
}

function madeUp(moments, number, count) {
  const id = `b${number}`;
  const moment = moments[Math.floor((moments.length - 1) * (((number * 7 + 3) % count) / count))];
  const now = new Date().toISOString();
  const result =
    number % 6 === 4
      ? {
          score: ['1-0', '1/2-1/2', '0-1'][number % 3],
          reason: ['resignation', 'agreement', 'flag_fall'][number % 3],
          confirmed: true,
        }
      : null;
  const clocks = moment.clocks && {
    ...moment.clocks,
    white_ms: moment.clocks.white_ms - number * 211_000,
    black_ms: moment.clocks.black_ms - number * 173_000,
    running: result ? null : moment.clocks.running,
  };
  const game = { ...moment, board: id, time: now, headers: headers(number), result, clocks };
  const availability = {
    schema: 'remisd/availability/1',
    site: moment.site,
    board: id,
    session: moment.session,
    seq: 1,
    time: now,
    state: number === 11 ? 'offline' : 'online',
  };
  const offer = {
    schema: 'remisd/offer/1',
    site: moment.site,
    board: id,
    session: moment.session,
    seq: 2,
    time: now,
    by: 'white',
    by_claim: false,
  };
  return [
    { type: 'value', topic: `${id}/game`, payload: game, received: now },
    { type: 'value', topic: `${id}/availability`, payload: availability, received: now },
    ...(number === 2 ? [{ type: 'value', topic: `${id}/offer`, payload: offer, received: now }] : []),
  ];
}

/** Something like the picture of a hall behind an overlay: light, dark and restless. */
const SCENE =
  'repeating-linear-gradient(115deg, #24405c 0 90px, #f4ead2 90px 150px, #7a9a6b 150px 260px, #d98b3a 260px 300px, #40302a 300px 380px)';

/** Name, size, address, and what else is to be done. */
const SHOTS = [
  { name: 'start', size: [1280, 900], path: '/', many: 12, public: true, whole: true },
  { name: 'start-phone-de', size: [390, 844], path: '/?lang=de', many: 3, public: true, dark: true },
  {
    name: 'overlay-board',
    size: [720, 940],
    path: '/overlay?board=b2&show=%2Brepetition,%2Bfifty',
    many: 4,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-board-demo',
    size: [720, 940],
    path: `/overlay?board=${board}&show=%2Brepetition,%2Bfifty&theme=light`,
    many: 1,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-boards',
    size: [1920, 1080],
    path: '/overlay?layout=boards&theme=navy',
    many: 9,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-ticker',
    size: [1920, 240],
    path: '/overlay?layout=ticker&theme=wood',
    many: 12,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-table',
    size: [1280, 720],
    path: '/overlay?layout=table&theme=dark',
    many: 12,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-contrast-flipped',
    size: [720, 940],
    path: '/overlay?board=b3&theme=contrast&flip=1&lang=nl',
    many: 4,
    public: true,
    scene: true,
  },
  {
    name: 'overlay-stale',
    size: [720, 940],
    path: '/overlay?board=b4&lang=de',
    many: 4,
    public: true,
    scene: true,
    deaf: true,
  },
  { name: 'display', size: [1920, 1080], path: `/display${credentials('hall')}`, many: 12 },
  { name: 'display-200', size: [1920, 1080], path: `/display?seconds=600${credentials('hall')}`, many: 200 },
  {
    name: 'display-light',
    size: [1280, 720],
    path: `/display?theme=light&boards=${board},b2,b4${credentials('hall')}`,
    many: 4,
  },
  { name: 'clock', size: [1280, 800], path: `/clock?board=${board}&role=white${credentials('white')}` },
  {
    name: 'clock-phone-nl',
    size: [390, 844],
    path: `/clock?board=${board}&role=black&lang=nl${credentials('black')}`,
    dark: true,
  },
  { name: 'clock-both', size: [1280, 800], path: `/clock?board=${board}&role=clock${credentials('clock')}` },
  {
    name: 'clock-claim-de',
    size: [1280, 800],
    path: `/clock?board=${board}&role=white&lang=de${credentials('white')}`,
    act: async (page) => {
      await page.click('[data-verb=claim]:enabled');
      await page.check('input[value=move]');
      await page.fill('#claim-move', 'Sf3');
    },
  },
  {
    name: 'sign-in',
    size: [1280, 800],
    path: '/display',
    act: async (page) => {
      await page.route('**/api/session', (route) =>
        route.fulfill({ json: { schema: 'remisd/session/1', grants: [], open: [] } }),
      );
      await page.reload();
      await page.waitForSelector('dialog');
    },
  },
];

/** A demo begins anew after its game: a picture is made while one is being played. */
async function untilPlayed() {
  while (!(await (await fetch(`${url}/api/site`)).json()).broker) await new Promise((done) => setTimeout(done, 500));
}

async function shoot(browser, shot, moments) {
  await untilPlayed();
  const [width, height] = shot.size;
  const context = await browser.newContext({
    viewport: { width, height },
    locale: 'en-GB',
    colorScheme: shot.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (shot.many) await multiply(page, moments[shot.public ? 'public' : 'hall'], shot.many, shot.deaf);
  await page.goto(url + shot.path);
  await page.waitForTimeout(shot.deaf ? 9000 : 1500);
  await shot.act?.(page);
  if (shot.scene)
    await page.evaluate((scene) => {
      document.documentElement.style.background = scene;
    }, SCENE);
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${folder}/${shot.name}.png`, fullPage: shot.whole === true });
  await context.close();
  console.log(`${shot.name}.png`);
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
const [open, inHall] = await Promise.all([collect(browser, 'public'), collect(browser, 'hall')]);
const moments = { public: open, hall: inHall };
if (moments.public.length === 0 || moments.hall.length === 0)
  throw new Error(`no game is being played at ${url} on board ${board}`);
for (const shot of SHOTS.filter(
  (one) => process.env.SHOTS === undefined || process.env.SHOTS.split(',').includes(one.name),
))
  await shoot(browser, shot, moments);
await browser.close();
