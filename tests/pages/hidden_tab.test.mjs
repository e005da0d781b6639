// A hidden tab still watches its connection.

import { after, before, test } from 'node:test';
import { launch, openTab, url } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const MINUTE = 60_000;

test('a line on which nothing comes is dropped also where timers run once a minute', { timeout: 120_000 }, async () => {
  const { tab, close } = await openTab(browser);
  await tab.clock.install();
  const lines = [];
  let opened = () => {};
  const line = (number) =>
    new Promise((resolve) => {
      opened = () => lines.length >= number && resolve();
      opened();
    });
  await tab.routeWebSocket(/\/feed\?/, (socket) => {
    lines.push(socket);
    opened();
  });
  await tab.goto(`${url}/overlay`);
  await line(1);
  await tab.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { get: () => true });
  });
  await tab.clock.pauseAt(Date.now() + MINUTE);
  // One minute until the silence is noticed, and one for the pause before the reconnect.
  for (let minute = 0; minute < 2; minute++) await tab.clock.fastForward(MINUTE);
  await line(2);
  await close();
});
