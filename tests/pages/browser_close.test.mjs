// A browser that does not close when asked must not keep the tests from ending.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, processOf } from './browser.mjs';

test('a browser that does not close is killed and fails nothing', async () => {
  const browser = await launch(500);
  const leader = await processOf(browser);
  const gone = new Promise((resolve) => browser.once('disconnected', resolve));
  process.kill(-leader, 'SIGSTOP');
  await browser.close();
  await gone;
  assert.equal(browser.isConnected(), false);
});
