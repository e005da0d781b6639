/** The overlay of a broadcast: what the public may know, without a background. */

import { onTick } from '../lib/clocks';
import { reloadAfterFailure } from '../lib/failure';
import { Live } from '../lib/live';
import { makeBoards } from './boards';
import type { View } from './board_view';
import { readOptions, type Options } from './options';
import { makeFeatured } from './featured';
import { isLocal, makeNote, makeQr, qrAddress } from './qr';
import { makeRows } from './rows';
import { makeStandings } from './standings';
import { t } from './words';

reloadAfterFailure();

const options = readOptions(location.search);
document.documentElement.dataset['theme'] = options.theme;
document.documentElement.classList.toggle('still', !options.animate);

function makeView(live: Live, options: Options): View {
  if (options.open) return makeOpen(live, options);
  switch (options.layout) {
    case 'board':
      return makeBoards(live, options, 1);
    case 'boards':
      return makeBoards(live, options);
    case 'featured':
      return makeFeatured(live, options);
    case 'leaders':
    case 'crosstable':
      return makeStandings(live, options, options.layout);
    default:
      return makeRows(live, options, options.layout);
  }
}

/** All known boards: one board fills the scene, several are shown side by side. */
function makeOpen(live: Live, options: Options): View {
  let several = false;
  let shown = makeBoards(live, options, 1);
  return {
    get element() {
      return shown.element;
    },
    draw() {
      const isSeveral = live.store.boards().length > 1;
      if (isSeveral !== several) {
        several = isSeveral;
        const before = shown.element;
        shown = several ? makeBoards(live, options) : makeBoards(live, options, 1);
        before.replaceWith(shown.element);
      }
      shown.draw();
    },
    age: (note) => shown.age(note),
    tick: (now) => shown.tick(now),
  };
}

/** Standings depend on every board. */
const ofTournament = options.layout === 'leaders' || options.layout === 'crosstable';
const live: Live = new Live(
  options.boards.length > 0 && !ofTournament ? { audience: 'public', boards: options.boards } : { audience: 'public' },
  {
    draw() {
      view.draw();
      view.tick(live.now());
    },
    ready: () => document.documentElement.classList.add('ready'),
    age: (note) => view.age(note),
  },
);
const view = makeView(live, options);
document.body.append(view.element);
// Before anything is laid out: the layouts leave the corner of the code free.
const address = qrAddress(options.qr, document.baseURI);
if (address !== null) document.body.append(isLocal(address) ? makeNote(t('qr_local')) : makeQr(address, t('qr')));
onTick(() => view.tick(live.now()));
