// Takes pictures of every page for the documentation, from a running hall:
//
//   REMISD_URL=http://127.0.0.1:8080 node tests/pages/screenshots.mjs [FOLDER]
//
// One board is enough, as in `remisd demo --speed 2`. If a picture needs many, moments of its game
// appear on made-up boards beside it. The folder is docs/screenshots. SHOTS lists the names of the
// wanted pictures, separated by commas.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { board, credentials, launch, signInAsArbiter, url } from './browser.mjs';
import { collect, multiply } from './made_up.mjs';

const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

/** A background like a picture of a hall behind an overlay: light, dark and busy. */
const SCENE =
  'repeating-linear-gradient(115deg, #24405c 0 90px, #f4ead2 90px 150px, #7a9a6b 150px 260px, #d98b3a 260px 300px, #40302a 300px 380px)';

/** Opens the board on the console and waits until its score has this many plies. */
async function openBoard(page, plies) {
  await page.click(`[data-board="${board}"] .open`);
  await page.waitForFunction(
    (least) => {
      const isOver = document.querySelector('.part-head .result') !== null;
      return !isOver && document.querySelectorAll('.part-score .move').length >= least;
    },
    plies,
    { timeout: 180_000, polling: 100 },
  );
}

/** Name, size, address, audience, number of boards, and further steps. */
const SHOTS = [
  { name: 'arbiter-tiles', size: [1280, 800], path: '', audience: 'arbiter', many: 12 },
  {
    name: 'arbiter-board',
    size: [1280, 800],
    path: '',
    audience: 'arbiter',
    whole: true,
    act: (page) => openBoard(page, 60),
  },
  {
    name: 'arbiter-phone-de',
    size: [390, 800],
    path: '?lang=de',
    audience: 'arbiter',
    act: async (page) => {
      await openBoard(page, 60);
      await page.waitForSelector('.part-alerts .alerts > *', { timeout: 180_000 });
    },
  },
  { name: 'start', size: [1280, 900], path: '/', many: 12, audience: 'public', whole: true },
  { name: 'start-phone-de', size: [390, 844], path: '/?lang=de', many: 3, audience: 'public', dark: true },
  {
    name: 'overlay-board',
    size: [720, 940],
    path: '/overlay?board=b2&show=%2Brepetition,%2Bfifty',
    many: 4,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-board-demo',
    size: [720, 940],
    path: `/overlay?board=${board}&show=%2Brepetition,%2Bfifty&theme=light`,
    many: 1,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-boards',
    size: [1920, 1080],
    path: '/overlay?layout=boards&theme=navy',
    many: 9,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-ticker',
    size: [1920, 240],
    path: '/overlay?layout=ticker&theme=wood',
    many: 12,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-table',
    size: [1280, 720],
    path: '/overlay?layout=table&theme=dark',
    many: 12,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-contrast-flipped',
    size: [720, 940],
    path: '/overlay?board=b3&theme=contrast&flip=1&lang=nl',
    many: 4,
    audience: 'public',
    scene: true,
  },
  {
    name: 'overlay-stale',
    size: [720, 940],
    path: '/overlay?board=b4&lang=de',
    many: 4,
    audience: 'public',
    scene: true,
    deaf: true,
  },
  { name: 'display', size: [1920, 1080], path: `/display${credentials('hall')}`, audience: 'hall', many: 12 },
  {
    name: 'display-200',
    size: [1920, 1080],
    path: `/display?seconds=600${credentials('hall')}`,
    audience: 'hall',
    many: 200,
  },
  {
    name: 'display-light',
    size: [1280, 720],
    path: `/display?theme=light&boards=${board},b2,b4${credentials('hall')}`,
    audience: 'hall',
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

/** A demo plays one game after the other: the picture is taken in the middle of one. */
async function untilPlayed() {
  const stream = await fetch(`${url}/api/events?audience=public&boards=${board}`);
  let text = '';
  for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + piece).split('\n');
    text = lines.pop();
    for (const line of lines.filter((one) => one.startsWith('data:'))) {
      const { type, topic, payload } = JSON.parse(line.slice('data:'.length));
      if (type !== 'value' || topic !== `${board}/game` || payload === null || payload.result) continue;
      if (payload.moves.length > 8 && payload.moves.length < 50) return;
    }
  }
  throw new Error(`${url} has ended`);
}

async function shoot(browser, shot, collected) {
  await untilPlayed();
  const [width, height] = shot.size;
  const context = await browser.newContext({
    viewport: { width, height },
    locale: 'en-GB',
    colorScheme: shot.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (shot.many) await multiply(page, collected[shot.audience], shot.many, shot.deaf);
  if (shot.audience === 'arbiter') await signInAsArbiter(page, shot.path);
  else await page.goto(url + shot.path);
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
const wanted = process.env.SHOTS?.split(',');
const shots = SHOTS.filter((shot) => wanted === undefined || wanted.includes(shot.name));
const browser = await launch();
const audiences = [...new Set(shots.filter((shot) => shot.many).map((shot) => shot.audience))];
const collected = Object.fromEntries(
  await Promise.all(audiences.map(async (audience) => [audience, await collect(browser, audience)])),
);
for (const shot of shots) await shoot(browser, shot, collected);
await browser.close();
