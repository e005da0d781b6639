// Two accounts of one game differ: the arbiter chooses which counts.

import { h } from '../../lib/dom';
import { ask } from '../ask';
import type { Alert } from '../payloads';
import { san, scoreText, t, textOf } from '../say';
import type { Subject } from '../subject';

/** A version in the alert: moves with their numbers, a score, a word that is no move, or the end. */
function versionText(alert: Alert, name: 'record' | 'other'): string {
  const { differs, word: illegal } = alert.arguments;
  if (differs === 'word' && name === 'other') return t('version.word', { word: String(illegal) });
  const text = String(alert.arguments[name] ?? '');
  if (text === '') return t('version.over');
  if (differs === 'result') return scoreText(text);
  const word = (move: string): string => {
    const [, number = '', rest = ''] = /^(\d+[.…])?(.*)$/.exec(move) ?? [];
    return number + san(rest);
  };
  return text.split(' ').map(word).join(' ');
}

function choose(subject: Subject, alert: Alert, version: 'record' | 'account'): Promise<boolean> {
  const dropped = version === 'account' ? Number(alert.arguments['dropped'] ?? 0) : 0;
  const [kept, left] = version === 'record' ? (['record', 'other'] as const) : (['other', 'record'] as const);
  return ask(subject, {
    title: t(`version.${version}_title`),
    facts: [h('p', {}, textOf(alert))],
    effects: () => [
      t('version.counts', { moves: versionText(alert, kept) }),
      t('version.not', { moves: versionText(alert, left) }),
      ...(dropped > 0 ? [t('version.dropped', { count: dropped })] : []),
      t(version === 'record' ? 'version.record_effect' : 'correct.recount'),
    ],
    verb: 'choose',
    grave: dropped > 0,
    args: () => ({ alert: alert.id, version, ...(dropped > 0 ? { dropped } : {}) }),
    confirm: () => t(`version.${version}_button`),
    again: () => {
      const { account } = alert.arguments;
      const now = subject.alerts().find((open) => open.code === alert.code && open.arguments['account'] === account);
      return now ? choose(subject, now, version) : Promise.resolve(false);
    },
  });
}

/** The record counts. */
export const keepRecord = (subject: Subject, alert: Alert): Promise<boolean> => choose(subject, alert, 'record');

/** The other account counts: the record is corrected. */
export const takeAccount = (subject: Subject, alert: Alert): Promise<boolean> => choose(subject, alert, 'account');
