// The sheet of evidence, to be looked at together with the players or printed: the server writes it, in this page's language.

import { h, type Props } from '../lib/dom';
import { languageTag } from '../lib/words';

/** A link that opens the sheet beside the console. */
export function evidenceLink(board: string, label: string, props: Props = {}): HTMLAnchorElement {
  return h('a', { ...props, href: `evidence/${board}?lang=${languageTag}`, target: '_blank', rel: 'noopener' }, label);
}
