// Ends of games: confirm or overrule an automatic end, or enter a result, also for an earlier game.

import { h } from '../../lib/dom';
import { isolated } from '../../lib/plain';
import { reasonWords } from '../../lib/vocabulary';
import { ask } from '../ask';
import { choose, type Choice } from '../fields';
import type { Alert, Score } from '../payloads';
import { scoreText, t, textOf } from '../say';
import type { Subject } from '../subject';

const about = (alert?: Alert): HTMLElement[] => (alert ? [h('p', {}, textOf(alert))] : []);

function scoreChoices(subject: Subject): Choice<Score>[] {
  const headers = subject.tile()?.payload.headers ?? {};
  const white = isolated(headers['White'] || t('side.white'));
  const black = isolated(headers['Black'] || t('side.black'));
  return [
    { value: '1-0', label: '1–0', note: t('score.wins', { name: white }) },
    { value: '1/2-1/2', label: '½–½', note: t('score.draw') },
    { value: '0-1', label: '0–1', note: t('score.wins', { name: black }) },
    { value: '0-0', label: '0–0', note: t('score.both_lose') },
  ];
}

/** Acknowledges the alert of a game's end, which confirms its result. */
export function confirmEnd(subject: Subject, alert: Alert): Promise<boolean> {
  const result = subject.tile()?.payload.result;
  const score = result?.score ?? String(alert.arguments['score'] ?? '');
  return ask(subject, {
    title: t('end.confirm_title'),
    facts: [...about(alert), score ? h('p', { class: 'score' }, scoreText(score)) : ''],
    effects: () => [
      t('end.confirm_effect', {
        score: scoreText(score),
        reason: reasonWords(result?.reason ?? String(alert.arguments['kind'] ?? '')),
      }),
      t('effect.result_published'),
    ],
    verb: 'ack',
    grave: true,
    args: () => ({ alert: alert.id }),
    confirm: () => t('end.confirm_button', { score: scoreText(score) }),
  });
}

/** Withdraws the result: play goes on. */
export function overruleEnd(subject: Subject, alert?: Alert): Promise<boolean> {
  const reason = subject.tile()?.payload.result?.reason;
  return ask(subject, {
    title: t('end.overrule_title'),
    about: 'game',
    facts: about(alert),
    effects: () => [
      t('end.overrule_effect'),
      ...(reason === 'threefold_claim' || reason === 'fifty_move_claim' ? [t('end.overrule_claim')] : []),
      t('end.overrule_kept'),
    ],
    verb: 'result',
    grave: true,
    args: () => ({ score: '*' }),
    confirm: () => t('end.overrule_button'),
  });
}

export function enterResult(subject: Subject, alert?: Alert, proposed?: Score): Promise<boolean> {
  const standing = subject.tile()?.payload.result;
  const choices = scoreChoices(subject);
  if (standing) choices.push({ value: '*', label: t('score.none'), note: t('end.overrule_effect') });
  const field = choose(t('end.result'), choices, proposed);
  return ask(subject, {
    title: t('end.result_title'),
    about: 'game',
    facts: [
      ...about(alert),
      ...(standing
        ? [h('p', {}, t('end.standing', { score: scoreText(standing.score), reason: reasonWords(standing.reason) }))]
        : []),
    ],
    fields: [field.node],
    effects: () => {
      const score = field.value();
      if (!score) return [t('effect.choose')];
      if (score === '*') return [t('end.overrule_effect'), t('end.overrule_kept')];
      return [t('end.result_effect', { score: scoreText(score) }), t('effect.result_published')];
    },
    verb: 'result',
    grave: true,
    args: () => (field.value() ? { score: field.value() } : null),
    confirm: () =>
      field.value() ? t('end.result_button', { score: scoreText(field.value() ?? '') }) : t('end.result_title'),
  });
}

/** The players have shown a result on the board: enter that result, or another one. */
export function proposedResult(subject: Subject, alert: Alert): Promise<boolean> {
  return enterResult(subject, alert, alert.arguments['score'] as Score | undefined);
}

/** The players did not mean to show a result: the board is followed again. */
export function playOn(subject: Subject, alert: Alert): Promise<boolean> {
  return ask(subject, {
    title: t('end.play_on_title'),
    facts: about(alert),
    effects: () => [t('end.play_on_effect')],
    verb: 'ack',
    args: () => ({ alert: alert.id }),
    confirm: () => t('end.play_on_button'),
  });
}

/** The players have shown another result than the recorded one, which stays. */
export function keepResult(subject: Subject, alert: Alert): Promise<boolean> {
  const score = scoreText(String(alert.arguments['result']));
  return ask(subject, {
    title: t('end.keep_title'),
    facts: about(alert),
    effects: () => [t('end.keep_effect', { score })],
    verb: 'ack',
    args: () => ({ alert: alert.id }),
    confirm: () => t('end.keep_button', { score }),
  });
}

/** Enters a result for a game that is no longer on the board. */
export function earlierResult(subject: Subject, alert: Alert): Promise<boolean> {
  const game = Number(alert.arguments['game']);
  const field = choose(
    t('end.result_of', { game }),
    scoreChoices(subject).map(({ value, label }) => ({ value, label })),
    (alert.arguments['score'] as Score | undefined) ?? undefined,
  );
  return ask(subject, {
    title: t('end.earlier_title', { game }),
    facts: about(alert),
    fields: [field.node],
    effects: () => [t('end.earlier_effect', { game })],
    verb: 'result',
    grave: true,
    guarded: false,
    args: () => (field.value() ? { score: field.value(), game } : null),
    confirm: () => t('end.result_button', { score: scoreText(field.value() ?? '…') }),
  });
}

/** Confirms the end of an earlier game as it was. */
export function confirmEarlier(subject: Subject, alert: Alert): Promise<boolean> {
  const score = scoreText(String(alert.arguments['score'] ?? ''));
  const game = Number(alert.arguments['game']);
  return ask(subject, {
    title: t('end.earlier_title', { game }),
    facts: about(alert),
    effects: () => [t('end.confirm_earlier_effect', { game, score })],
    verb: 'ack',
    guarded: false,
    grave: true,
    args: () => ({ alert: alert.id }),
    confirm: () => t('end.confirm_button', { score }),
  });
}
