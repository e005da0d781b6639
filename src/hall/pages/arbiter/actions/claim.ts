// Rulings on players' requests: a draw claim, a claim in the last two minutes, an agreement.

import { h } from '../../lib/dom';
import { ask } from '../ask';
import { evidenceLink } from '../evidence';
import { choose, chooseSide, tick } from '../fields';
import { opponentOf, type Alert, type Side, type TimeChange } from '../payloads';
import { named, san, side, t, textOf } from '../say';
import type { Subject } from '../subject';
import { changeOf } from '../times';

/** The arguments of a claim's alert that the ruling needs. */
interface ClaimArguments {
  by: Side;
  kind: string;
  move: string;
  verdict: string;
  white_ms: number | null;
  black_ms: number | null;
  white_set_ms: number | null;
  black_set_ms: number | null;
}

function changeFrom(ms: number | null, set: number | null): TimeChange {
  if (set !== null) return { change: 'set', ms: set };
  return ms === null ? { change: 'unknown' } : { change: 'add', ms };
}

/** The penalty for an incorrect claim, as computed by the daemon: `Black +2:00`. */
export function penaltyText(args: Record<string, unknown>): string {
  const a = args as unknown as ClaimArguments;
  const changes = [
    changeOf('white', changeFrom(a.white_ms ?? null, a.white_set_ms ?? null)),
    changeOf('black', changeFrom(a.black_ms ?? null, a.black_set_ms ?? null)),
  ];
  return changes.filter((change) => change !== null).join(', ') || t('claim.no_penalty');
}

/** The current version of the alert. */
export const asItIs = (subject: Subject, alert: Alert | undefined): Alert | undefined =>
  subject.alerts().find(({ id }) => id === alert?.id);

function find(subject: Subject, ...codes: string[]): Alert | undefined {
  return subject.alerts().find((alert) => codes.includes(alert.code));
}

export function ruleOnClaim(subject: Subject): Promise<boolean> {
  const made = find(subject, 'claim_made');
  const record = subject.draw()?.claim;
  const args = (made?.arguments ?? {}) as Partial<ClaimArguments>;
  const by = record?.by ?? args.by ?? 'white';
  const announced = record?.move?.san ?? (args.move || null);
  const illegal = record?.remarks?.includes('announced_move_illegal') === true;
  const penalty = made ? penaltyText(made.arguments) : t('claim.penalty_unknown');
  const verdict = record?.finding ?? args.verdict ?? 'none';
  const field = choose(t('claim.your_ruling'), [
    { value: 'correct', label: t('claim.correct'), note: t('claim.correct_note') },
    { value: 'incorrect', label: t('claim.incorrect'), note: t('claim.incorrect_note', { penalty }) },
    { value: 'not_admissible', label: t('claim.not_admissible'), note: t('claim.not_admissible_note') },
  ]);
  const effects = (): string[] => {
    switch (field.value()) {
      case 'correct':
        return [t('effect.drawn'), t('effect.result_published'), t('effect.offer_over')];
      case 'incorrect':
        return [
          t('effect.penalty', { penalty }),
          ...(announced
            ? [t(illegal ? 'draws.must_play_piece' : 'effect.must_play', { side: side(by), move: san(announced) })]
            : []),
          t('effect.goes_on_clock'),
          t('effect.set_clock_alert'),
        ];
      case 'not_admissible':
        return [
          t('effect.nothing_checked'),
          t('effect.no_penalty'),
          t('effect.goes_on_clock'),
          t('effect.offer_stands'),
        ];
      default:
        return [t('effect.choose')];
    }
  };
  return ask(subject, {
    title: t('claim.title'),
    facts: [
      ...(made ? [h('p', {}, textOf(made))] : []),
      h('p', { class: `verdict verdict-${verdict}` }, h('b', {}, named('finding', verdict))),
      ...contested(subject),
      h('p', { class: 'hint' }, t('claim.with_players'), ' ', evidenceLink(subject, t('evidence.open'))),
    ],
    fields: [field.node],
    effects,
    about: 'claim',
    again: () => ruleOnClaim(subject),
    verb: 'ruling',
    grave: true,
    args: () => {
      const ruling = field.value();
      if (!ruling) return null;
      return {
        on: 'claim',
        correct: ruling === 'correct',
        ...(ruling === 'not_admissible' ? { admissible: false } : {}),
      };
    },
    confirm: () => {
      const ruling = field.value();
      return ruling ? t(`claim.confirm_${ruling}`) : t('claim.confirm');
    },
  });
}

function contested(subject: Subject): HTMLElement[] {
  const alert = find(subject, 'claim_contested');
  return alert ? [h('p', { class: 'warning' }, textOf(alert))] : [];
}

export function ruleOnQuickplay(subject: Subject, alert?: Alert): Promise<boolean> {
  const about = alert ?? find(subject, 'claim_made', 'decision_postponed');
  const args = (about?.arguments ?? {}) as { by?: Side; kind?: string };
  const increment = args.kind === 'increment';
  const by = args.by ?? 'white';
  const opponent = side(opponentOf(by));
  const field = choose(
    t('claim.your_ruling'),
    increment
      ? [
          { value: 'increment', label: t('quickplay.increment'), note: t('quickplay.increment_note', { opponent }) },
          { value: 'reject', label: t('quickplay.reject'), note: t('quickplay.reject_note', { opponent }) },
        ]
      : [
          { value: 'draw', label: t('quickplay.draw'), note: t('effect.drawn') },
          ...(about?.code === 'decision_postponed'
            ? []
            : [{ value: 'postpone' as const, label: t('quickplay.postpone'), note: t('quickplay.postpone_note') }]),
          { value: 'reject', label: t('quickplay.reject'), note: t('quickplay.reject_note', { opponent }) },
        ],
  );
  const bonus = tick(t('quickplay.bonus', { opponent }));
  const several = subject.alerts().filter((a) => a.code === 'decision_postponed').length > 1;
  const effects = (): string[] => {
    switch (field.value()) {
      case 'draw':
        return [t('effect.drawn'), t('effect.final')];
      case 'postpone':
        return [
          t('effect.postponed'),
          ...(bonus.value() ? [t('effect.bonus', { opponent })] : []),
          t('effect.goes_on_clock'),
        ];
      case 'reject':
        return [t('effect.goes_on'), t('effect.bonus_maybe', { opponent }), t('effect.final')];
      case 'increment':
        return [t('effect.increment'), t('effect.bonus', { opponent }), t('effect.set_clock_alert')];
      default:
        return [t('effect.choose')];
    }
  };
  return ask(subject, {
    title: increment ? t('quickplay.title_increment') : t('quickplay.title'),
    facts: about ? [h('p', {}, textOf(about))] : [],
    fields: increment ? [field.node] : [field.node, bonus.node],
    effects,
    about: 'claim',
    again: () => ruleOnQuickplay(subject, asItIs(subject, alert)),
    verb: 'ruling',
    grave: true,
    args: () => {
      const decision = field.value();
      if (!decision) return null;
      const player = several ? { player: by } : {};
      return {
        on: 'quickplay',
        decision,
        ...(decision === 'postpone' && bonus.value() ? { bonus: true } : {}),
        ...player,
      };
    },
    confirm: () => t('claim.confirm'),
  });
}

export function ruleOnAgreement(subject: Subject): Promise<boolean> {
  const about = find(subject, 'agreement_restricted', 'offer_restricted');
  const offered = about?.code === 'offer_restricted';
  const field = choose(t('agreement.question'), [
    {
      value: 'yes',
      label: t('agreement.consent'),
      note: offered ? t('agreement.consent_offer_note') : t('agreement.consent_note'),
    },
    { value: 'no', label: t('agreement.refuse'), note: t('agreement.refuse_note') },
  ]);
  return ask(subject, {
    title: t('agreement.title'),
    facts: about ? [h('p', {}, textOf(about))] : [h('p', {}, t('agreement.none'))],
    fields: [field.node],
    effects: () => {
      if (field.value() === 'yes')
        return offered ? [t('agreement.consent_offer_note')] : [t('effect.drawn'), t('effect.result_published')];
      return field.value() === 'no' ? [t('agreement.refuse_note')] : [t('effect.choose')];
    },
    again: () => ruleOnAgreement(subject),
    verb: 'ruling',
    grave: true,
    args: () => (field.value() ? { on: 'agreement', consent: field.value() === 'yes' } : null),
    confirm: () => (field.value() === 'no' ? t('agreement.refuse') : t('agreement.consent')),
  });
}

/**
 * That player's touches during this move are void: refused offers stand again, and claims are no
 * longer contested.
 */
export function voidTouches(subject: Subject): Promise<boolean> {
  const turn = subject.tile()?.payload.turn;
  const player = chooseSide(t('touch.whose'), subject.tile()?.payload.headers ?? {}, turn);
  return ask(subject, {
    title: t('touch.void_title'),
    facts: contested(subject),
    fields: [player.node],
    effects: () => [t('effect.touches_void'), t('effect.claim_not_contested')],
    again: () => voidTouches(subject),
    verb: 'adjust',
    args: () => (player.value() ? { player: player.value() } : null),
    confirm: () => t('touch.void_confirm'),
  });
}
