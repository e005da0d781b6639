// Illegal moves and illegal positions (7.5, A.5.4). The penalty is shown before the ruling.

import { h } from '../../lib/dom';
import { ask } from '../ask';
import { chooseSide, tick } from '../fields';
import { illegalMoveArticle, illegalMoveRules, type IllegalMoveRule } from '../laws';
import { opponentOf, type Side } from '../payloads';
import { side, t } from '../say';
import type { Subject } from '../subject';
import { changeText } from '../times';

function consequence(rule: IllegalMoveRule, nth: number, by: Side): string {
  const opponent = side(opponentOf(by));
  if (rule.losesAt > 0 && nth >= rule.losesAt)
    return t(rule.drawException ? 'illegal.loses_or_draw' : 'illegal.loses', { side: side(by), opponent });
  return rule.bonusMs > 0 ? t('illegal.bonus', { opponent, change: changeText(rule.bonusMs) }) : t('illegal.restored');
}

function effectsFor(subject: Subject, by: Side): string[] {
  const game = subject.game();
  const counted = subject.illegalMoves(by);
  const rules = game ? illegalMoveRules(game.laws, game.rate) : [];
  const article = game ? illegalMoveArticle(game.laws) : '7.5';
  const lines: string[] = [];
  const say = (nth: number): void => {
    const [first, second] = rules;
    if (!first) return;
    const number = t('illegal.nth', { n: nth });
    lines.push(`${number}: ${consequence(first, nth, by)}${second ? ` (${t('illegal.supervised')})` : ''}`);
    if (second) lines.push(`${number}: ${consequence(second, nth, by)} (${t('illegal.unsupervised')})`);
  };
  if (counted === null) {
    say(1);
    say(2);
  } else {
    say(counted + 1);
  }
  return [t('illegal.counted', { article }), ...lines, t('illegal.correct_too')];
}

/** The number of earlier illegal moves, counted from the entries received, or unknown. */
function countText(subject: Subject): string {
  const [white, black] = [subject.illegalMoves('white'), subject.illegalMoves('black')];
  if (white === null || black === null) return t('illegal.count_unknown');
  return t('illegal.count', { white, black });
}

export function ruleOnIllegalMove(subject: Subject): Promise<boolean> {
  const tile = subject.tile()?.payload;
  const field = chooseSide(t('illegal.who'), tile?.headers ?? {});
  const game = subject.game();
  const onClaim = game ? illegalMoveRules(game.laws, game.rate).some((rule) => rule.onClaim) : false;
  const claimed = tick(t('illegal.claimed'));
  const withdrawn = tick(t('illegal.withdraw'));
  return ask(subject, {
    title: t('illegal.title'),
    facts: [h('p', {}, countText(subject))],
    fields: [field.node, ...(onClaim ? [claimed.node] : []), withdrawn.node],
    effects: () => {
      const by = field.value();
      if (!by) return [t('effect.choose')];
      return withdrawn.value() ? [t('illegal.withdraw_effect', { side: side(by) })] : effectsFor(subject, by);
    },
    verb: 'ruling',
    grave: true,
    args: () => {
      const player = field.value();
      if (!player) return null;
      if (withdrawn.value()) return { on: 'illegal_move', player, withdrawn: true };
      return { on: 'illegal_move', player, ...(claimed.value() ? { claimed: true } : {}) };
    },
    confirm: () => (withdrawn.value() ? t('illegal.withdraw_button') : t('illegal.button')),
  });
}

export function ruleOnIllegalPosition(subject: Subject): Promise<boolean> {
  return ask(subject, {
    title: t('position.title'),
    facts: [h('p', {}, t('position.about'))],
    effects: () => [t('effect.drawn'), t('effect.result_published'), t('position.only')],
    verb: 'ruling',
    grave: true,
    args: () => ({ on: 'illegal_position' }),
    confirm: () => t('position.button'),
  });
}
