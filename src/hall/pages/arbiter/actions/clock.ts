// The clock: stop it, resume it, change the times, confirm that it was set; and flag falls.

import { formatClock, remaining } from '../../lib/clocks';
import { h } from '../../lib/dom';
import { ask } from '../ask';
import { choose, chooseSide, text } from '../fields';
import { opponentOf, type Alert, type Side, type TimeChange } from '../payloads';
import { side, t, textOf } from '../say';
import type { Subject } from '../subject';
import { changeOf, parseTime } from '../times';
import { penaltyText } from './claim';

const headersOf = (subject: Subject): Record<string, string> => subject.tile()?.payload.headers ?? {};

function timesNow(subject: Subject): HTMLElement {
  const at = subject.reading()?.at ?? null;
  const one = (of: Side): string => `${side(of)} ${formatClock(remaining(at, of, subject.now()))}`;
  return h('p', { class: 'times' }, at ? `${one('white')} · ${one('black')}` : t('clock.no_clock'));
}

export function pause(subject: Subject): Promise<boolean> {
  return ask(subject, {
    title: t('clock.pause_title'),
    facts: [timesNow(subject)],
    effects: () => [t('clock.pause_effect'), t('clock.pause_until')],
    verb: 'pause',
    guarded: false,
    args: () => ({}),
    confirm: () => t('clock.pause_button'),
  });
}

export function resume(subject: Subject): Promise<boolean> {
  const turn = subject.tile()?.payload.turn;
  const field = chooseSide(t('clock.whose_runs'), headersOf(subject), turn);
  return ask(subject, {
    title: t('clock.resume_title'),
    about: 'game',
    facts: [timesNow(subject)],
    fields: [field.node],
    effects: () => (field.value() ? [t('clock.resume_effect', { side: side(field.value()) })] : [t('effect.choose')]),
    verb: 'resume',
    args: () => (field.value() ? { running: field.value() } : null),
    confirm: () => t('clock.resume_button'),
  });
}

/** The clock was set by hand: the adjustment is done. */
export function clockSet(subject: Subject, alert: Alert): Promise<boolean> {
  const change = penaltyText(alert.arguments);
  return ask(subject, {
    title: t('clock.set_title'),
    facts: [h('p', {}, textOf(alert)), h('p', { class: 'score' }, change), timesNow(subject)],
    effects: () => [t('clock.set_effect', { change })],
    verb: 'ack',
    guarded: false,
    args: () => ({ alert: alert.id }),
    confirm: () => t('clock.set_button'),
  });
}

function timeChange(how: string | null, ms: number | null): TimeChange | null {
  if (!how || how === 'none') return { change: 'none' };
  if (ms === null) return null;
  return how === 'set' ? { change: 'set', ms } : { change: 'add', ms: how === 'take' ? -ms : ms };
}

function changeFields(of: Side): { node: HTMLElement; value: () => TimeChange | null } {
  const how = choose(
    t(`side.${of}`),
    [
      { value: 'none', label: t('clock.change_none') },
      { value: 'add', label: t('clock.change_add') },
      { value: 'take', label: t('clock.change_take') },
      { value: 'set', label: t('clock.change_set') },
    ],
    'none',
  );
  const time = text(t('clock.time'), { placeholder: '2:00', note: t('clock.time_note') });
  const node = h('div', { class: 'change' }, how.node, time.node);
  return { node, value: () => timeChange(how.value(), parseTime(time.value())) };
}

/** The arbiter changes the remaining times at their discretion. */
export function adjustClocks(subject: Subject): Promise<boolean> {
  const white = changeFields('white');
  const black = changeFields('black');
  const changes = (): string[] => {
    const [w, b] = [white.value(), black.value()];
    return [w && changeOf('white', w), b && changeOf('black', b)].filter((change): change is string => Boolean(change));
  };
  return ask(subject, {
    title: t('clock.adjust_title'),
    about: 'game',
    facts: [timesNow(subject)],
    fields: [h('div', { class: 'pair' }, white.node, black.node)],
    effects: () => (changes().length > 0 ? [...changes(), t('effect.set_clock_alert')] : [t('clock.adjust_nothing')]),
    verb: 'ruling',
    args: () => {
      const [w, b] = [white.value(), black.value()];
      return w && b && changes().length > 0 ? { on: 'clock', white: w, black: b } : null;
    },
    confirm: () => t('clock.adjust_button'),
  });
}

export function ruleOnFlag(subject: Subject, alert?: Alert): Promise<boolean> {
  const fallen = (alert?.arguments['player'] as Side | undefined) ?? subject.clock()?.payload.flag ?? undefined;
  const field = chooseSide(t('flag.whose'), headersOf(subject), fallen);
  const canMate = alert?.arguments['opponent_can_mate'];
  return ask(subject, {
    title: t('flag.title'),
    about: 'game',
    facts: [...(alert ? [h('p', {}, textOf(alert))] : []), timesNow(subject)],
    fields: [field.node],
    effects: () => {
      const player = field.value();
      if (!player) return [t('effect.choose')];
      const opponent = side(opponentOf(player));
      if (player === fallen && canMate === 'yes') return [t('flag.lost', { side: side(player) })];
      if (player === fallen && canMate === 'no') return [t('flag.drawn', { opponent })];
      return [t('flag.depends', { side: side(player), opponent })];
    },
    verb: 'ruling',
    grave: true,
    args: () => (field.value() ? { on: 'flag', player: field.value() } : null),
    confirm: () => t('flag.button'),
  });
}

export function ruleOnBothFlags(subject: Subject): Promise<boolean> {
  const field = choose(t('flags.question'), [
    { value: 'yes', label: t('flags.last'), note: t('flags.last_note') },
    { value: 'no', label: t('flags.not_last'), note: t('flags.not_last_note') },
  ]);
  return ask(subject, {
    title: t('flags.title'),
    about: 'game',
    facts: [h('p', {}, t('flags.about'))],
    fields: [field.node],
    effects: () =>
      field.value() === 'yes'
        ? [t('flags.last_note')]
        : field.value() === 'no'
          ? [t('flags.not_last_note')]
          : [t('effect.choose')],
    verb: 'ruling',
    grave: true,
    args: () => (field.value() ? { on: 'both_flags', last_period: field.value() === 'yes' } : null),
    confirm: () => t('flags.button'),
  });
}
