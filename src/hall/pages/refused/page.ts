/** The page for a refused request, such as a missing page or a missing sign-in. */

import { byId, h } from '../lib/dom';
import { languagePicker } from '../lib/language_picker';
import { plain } from '../lib/plain';
import { codeWords } from '../lib/vocabulary';
import { t } from './words';

const { code = '', up = './' } = document.documentElement.dataset;
const isMissing = code === 'not_found';
const MOST = 200;

/** The address in readable form; if it cannot be decoded, it is shown as it is. */
function addressed(): string {
  try {
    return plain(decodeURIComponent(location.pathname));
  } catch {
    return location.pathname;
  }
}

/** The existing pages. Users who have to sign in can do so on the arbiter's page. */
function links(): HTMLElement {
  const pages = [
    ['', t('start')],
    ['arbiter', t('arbiter')],
    ['display', t('display')],
    ['clock', t('clock')],
    ['overlay', t('overlay')],
  ] as const;
  return h(
    'ul',
    null,
    ...pages.map(([path, label]) => h('li', null, h('a', { class: 'button', href: up + path }, label))),
  );
}

const title = isMissing ? t('missing') : t('refused');
document.title = `remisd – ${title}`;
byId('head').append(languagePicker());
byId('main').append(
  h('h1', null, title),
  isMissing
    ? h('p', null, t('missing_text'), ' ', h('code', null, h('bdi', null, addressed().slice(0, MOST))))
    : h('p', null, code === 'not_signed_in' ? t('sign_in') : codeWords(code)),
  h('nav', { 'aria-label': t('pages') }, links()),
);
