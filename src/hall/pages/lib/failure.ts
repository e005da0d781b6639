/**
 * A page whose script has failed may go on showing old values. Nobody must take them for current ones.
 */

import { h } from './dom';
import { v } from './vocabulary';

/** After how long a page that nobody watches is loaded again. */
const RELOAD_MS = 10_000;

/** Browsers report this as an error; it means only that a size is observed in the next frame. */
const HARMLESS = /ResizeObserver loop/;

function onFailure(act: () => void): void {
  let failed = false;
  const fail = (): void => {
    if (failed) return;
    failed = true;
    act();
  };
  window.addEventListener('error', ({ message }) => {
    if (!HARMLESS.test(message)) fail();
  });
  window.addEventListener('unhandledrejection', fail);
}

/** Says it on the page, with a button that loads it again. */
export function showFailures(): void {
  onFailure(() => {
    const again = h('button', { type: 'button', onclick: () => location.reload() }, v('reload'));
    document.body.prepend(
      h('div', { class: 'page-failed', role: 'alert' }, h('span', {}, v('page_failed')), ' ', again),
    );
  });
}

/** Loads the page again: for screens and overlays, which nobody operates. */
export function reloadAfterFailure(): void {
  const reload = async (): Promise<void> => {
    const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null);
    if (answer?.ok === true) location.reload();
    // Without the server a browser would show its own page of errors, and stay there.
    else setTimeout(() => void reload(), RELOAD_MS);
  };
  onFailure(() => setTimeout(() => void reload(), RELOAD_MS));
}
