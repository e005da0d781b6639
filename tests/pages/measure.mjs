// Measures the size and speed of the pages on a running hall:
//
//   REMISD_URL=http://127.0.0.1:8080 node tests/pages/measure.mjs
//
// The figures depend on the computer and its load: they are for information, not a test.

import { launch, visit, weigh } from './browser.mjs';
import { BOARDS, openMany } from './many_boards.mjs';

const PAINTS = 8;
const SECONDS = 15;

/** Runs in the page: the durations of frames, and the longest task between two. */
function frames(seconds) {
  return new Promise((done) => {
    const gaps = [];
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ entryTypes: ['longtask'] });
    const from = performance.now();
    let last = from;
    requestAnimationFrame(function frame(now) {
      gaps.push(now - last);
      last = now;
      if (now - from < seconds * 1000) return requestAnimationFrame(frame);
      observer.disconnect();
      gaps.sort((a, b) => b - a);
      done({ gaps, longestTask: Math.max(0, ...tasks) });
    });
  });
}

/** Runs in the page: the time of its first paint, even if that is still to come. */
function firstPaint() {
  return new Promise((done) => {
    const observer = new PerformanceObserver((list) => {
      const entry = list.getEntriesByName('first-contentful-paint')[0];
      if (entry) done(entry.startTime);
    });
    observer.observe({ type: 'paint', buffered: true });
  });
}

const ms = (value) => `${Math.round(value)} ms`;
const browser = await launch();

console.log('Weight as it is sent, compressed: HTML, script and style sheet');
for (const page of ['', 'overlay', 'display', 'clock', 'arbiter']) {
  const { bytes, plain } = await weigh(page);
  console.log(`  /${page.padEnd(8)} ${(bytes / 1000).toFixed(1).padStart(6)} kB  (${(plain / 1000).toFixed(1)} kB)`);
}

const paints = [];
for (let attempt = 0; attempt < PAINTS; attempt++) {
  const { tab, close } = await visit(browser, 'overlay');
  paints.push(await tab.evaluate(firstPaint));
  await close();
}
paints.sort((a, b) => a - b);
console.log(`First paint of the overlay, ${PAINTS} times with nothing cached`);
console.log(`  ${ms(paints[0])} at best, ${ms(paints[PAINTS / 2])} in the middle, ${ms(paints[PAINTS - 1])} at worst`);

const { tab, close } = await openMany(browser);
await tab.evaluate(() => globalThis.hall.playOn());
const { gaps, longestTask } = await tab.evaluate(frames, SECONDS);
console.log(`Console of ${BOARDS} boards at a ply a second each, for ${SECONDS} s`);
console.log(`  longest frame ${ms(gaps[0])}, longest work in one ${ms(longestTask)} (0: below 50)`);
console.log(`  ${gaps.length} frames, of which ${gaps.filter((gap) => gap > 50).length} above 50 ms`);
await close();
await browser.close();
