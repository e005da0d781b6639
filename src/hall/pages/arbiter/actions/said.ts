// What the arbiter enters on behalf of players: offers, claims, resignations, touched pieces.

import { sanFrom } from '../../lib/notation';
import { h } from '../../lib/dom';
import { ask } from '../ask';
import { choose, chooseSide, square, text, tick } from '../fields';
import { opponentOf, type Side } from '../payloads';
import { san, side, t } from '../say';
import type { Subject } from '../subject';

const headersOf = (subject: Subject): Record<string, string> => subject.tile()?.payload.headers ?? {};
const turnOf = (subject: Subject): Side | undefined => subject.tile()?.payload.turn;

export function offer(subject: Subject): Promise<boolean> {
  const turn = turnOf(subject);
  const field = chooseSide(t('offer.who'), headersOf(subject), turn && opponentOf(turn));
  const condition = text(t('offer.condition'), { note: t('offer.condition_note'), wide: true });
  return ask(subject, {
    title: t('offer.title'),
    fields: [field.node, condition.node],
    effects: () =>
      field.value() ? [t('offer.effect', { side: side(field.value()) }), t('offer.stands')] : [t('effect.choose')],
    verb: 'offer',
    args: () =>
      field.value() ? { player: field.value(), ...(condition.value() ? { condition: condition.value() } : {}) } : null,
    confirm: () => t('offer.button'),
  });
}

/** A player's spoken answer to the standing offer. */
export function answerOffer(subject: Subject): Promise<boolean> {
  const standing = subject.draw()?.offer;
  const answerer = standing ? opponentOf(standing.by) : turnOf(subject);
  const player = chooseSide(t('answer.who'), headersOf(subject), answerer);
  const field = choose(t('answer.question'), [
    { value: 'accept', label: t('answer.accept'), note: t('answer.accept_note') },
    { value: 'decline', label: t('answer.decline'), note: t('answer.decline_note') },
  ]);
  return ask(subject, {
    title: t('answer.title'),
    facts: [
      h('p', {}, standing ? t('offer.standing', { side: side(standing.by), ply: standing.ply }) : t('offer.none')),
    ],
    fields: [player.node, field.node],
    effects: () =>
      field.value() === 'accept'
        ? [t('answer.accept_note')]
        : field.value() === 'decline'
          ? [t('answer.decline_note')]
          : [t('effect.choose')],
    // The verb depends on the choice; the dialog reads it when sending.
    get verb() {
      return field.value() ?? 'decline';
    },
    grave: true,
    args: () => (field.value() && player.value() ? { player: player.value() } : null),
    confirm: () => (field.value() === 'accept' ? t('answer.accept') : t('answer.decline')),
  });
}

export function claim(subject: Subject): Promise<boolean> {
  const possible = subject.draw()?.claims ?? [];
  const by = chooseSide(t('claimed.who'), headersOf(subject), turnOf(subject));
  const kind = choose(
    t('claimed.what'),
    [
      { value: 'threefold', label: t('kind.threefold') },
      { value: 'fifty_move', label: t('kind.fifty_move') },
      { value: 'quickplay', label: t('kind.quickplay') },
      { value: 'increment', label: t('kind.increment') },
    ],
    'threefold',
  );
  const move = text(t('claimed.move'), { placeholder: 'Nf3', note: t('claimed.move_note') });
  const unwritten = tick(t('claimed.unwritten'));
  const announced = (): string =>
    kind.value() === 'threefold' || kind.value() === 'fifty_move' ? sanFrom(move.value()) : '';
  return ask(subject, {
    title: t('claimed.title'),
    facts:
      possible.length > 0
        ? [
            h(
              'p',
              { class: 'hint' },
              t('claimed.possible', {
                moves: possible.map((p) => (p.move ? san(p.move.san) : t('claims.on_board'))).join(', '),
              }),
            ),
          ]
        : [],
    fields: [by.node, kind.node, move.node, unwritten.node],
    effects: () => {
      if (!by.value() || !kind.value()) return [t('effect.choose')];
      const what = t(`kind.${kind.value()!}`);
      return [
        announced()
          ? t('claimed.effect_move', { side: side(by.value()), what, move: san(announced()) })
          : t('claimed.effect', { side: side(by.value()), what }),
        t('claimed.no_way_back'),
        t('claimed.clock'),
      ];
    },
    verb: 'claim',
    args: () => {
      if (!by.value() || !kind.value()) return null;
      return {
        player: by.value(),
        kind: kind.value(),
        ...(announced() ? { move: announced(), ...(unwritten.value() ? { written: false } : {}) } : {}),
      };
    },
    confirm: () => t('claimed.button'),
  });
}

export function resign(subject: Subject): Promise<boolean> {
  const field = chooseSide(t('resign.who'), headersOf(subject));
  return ask(subject, {
    title: t('resign.title'),
    about: 'game',
    fields: [field.node],
    effects: () => {
      const player = field.value();
      return player
        ? [t('resign.effect', { side: side(player), opponent: side(opponentOf(player)) }), t('resign.waits')]
        : [t('effect.choose')];
    },
    verb: 'resign',
    grave: true,
    args: () => (field.value() ? { player: field.value() } : null),
    confirm: () => t('resign.button'),
  });
}

export function touch(subject: Subject): Promise<boolean> {
  const field = chooseSide(t('touch.who'), headersOf(subject), turnOf(subject));
  const where = square(t('touch.square'));
  return ask(subject, {
    title: t('touch.title'),
    fields: [field.node, where.node],
    effects: () => {
      if (!field.value() || !where.value()) return [t('touch.missing')];
      return [
        t('touch.effect', { side: side(field.value()), square: where.value()! }),
        t('touch.refuses'),
        t('touch.loses'),
      ];
    },
    verb: 'touch',
    args: () => (field.value() && where.value() ? { player: field.value(), square: where.value() } : null),
    confirm: () => t('touch.button'),
  });
}
