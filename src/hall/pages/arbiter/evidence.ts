// The evidence sheet, to show to the players or to print. The server renders it in this page's
// language.

import { h, type Props } from '../lib/dom';
import { languageTag } from '../lib/words';
import type { Subject } from './subject';

/**
 * A link that opens the sheet in a new tab. It shows the claim under examination, or else the
 * newest claim of the game, even if that was ruled on.
 */
export function evidenceLink(subject: Subject, label: string, props: Props = {}): HTMLAnchorElement {
  const address = (): string => {
    const claim = subject.draw()?.claim?.id;
    const game = subject.game()?.game;
    const which = claim !== undefined ? `claim=${claim}&` : game !== undefined ? `game=${game}&` : '';
    return `evidence/${subject.board}?${which}lang=${languageTag}`;
  };
  const link = h('a', { ...props, href: address(), target: '_blank', rel: 'noopener' }, label);
  // The page may not have been redrawn since the claim was made or ruled on.
  for (const event of ['pointerdown', 'click']) {
    link.addEventListener(event, () => link.setAttribute('href', address()));
  }
  return link;
}
