// Opens the arbiter's console of a daemon that was just set up, and waits for the first move.
// Takes REMISD_URL and REMISD_PASSWORD_ARBITER; packaging/test-release calls it.

import { board, launch, openTab, signInAsArbiter } from './browser.mjs';

/** How long the first move may take: the daemon may run in an emulated processor. */
const PATIENCE_MS = 300_000;

const browser = await launch();
const { tab } = await openTab(browser);
await signInAsArbiter(tab);
const tile = tab.locator(`[data-board="${board}"]`, { hasText: 'e4' });
await tile.waitFor({ timeout: PATIENCE_MS });
console.log((await tile.innerText()).replaceAll(/\s+/g, ' '));
await browser.close();
