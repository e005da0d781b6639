// The sheet of evidence, to be looked at together with the players or printed: the server writes it, in this page's language.

import { h, type Props } from '../lib/dom';
import { languageTag } from '../lib/words';
import type { Subject } from './subject';

/** A link that opens the sheet beside the console: of the claim that is being checked, else of the newest one in the
 * game that is shown, also when it has been ruled on. */
export function evidenceLink(subject: Subject, label: string, props: Props = {}): HTMLAnchorElement {
  const address = (): string => {
    const claim = subject.draw()?.claim?.id;
    const game = subject.game()?.game;
    const which = claim !== undefined ? `claim=${claim}&` : game !== undefined ? `game=${game}&` : '';
    return `evidence/${subject.board}?${which}lang=${languageTag}`;
  };
  const link = h('a', { ...props, href: address(), target: '_blank', rel: 'noopener' }, label);
  // The page may not have been written anew since the claim came, or since it was ruled on.
  for (const event of ['pointerdown', 'click']) {
    link.addEventListener(event, () => link.setAttribute('href', address()));
  }
  return link;
}
