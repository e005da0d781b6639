// The position under the draw rules: repetition, counters, possible and lost claims, and what the
// players have said and touched.

import { h, type Child } from '../lib/dom';
import type { Opened } from './opened';
import type { ClaimRecord, Draw, LostClaim, Possible, StandingOffer, Touched } from './payloads';
import { named, san, side, t, timeOfDay } from './say';
import { plyLabel } from './subject';
import { fact } from './terms';

import { reasonWords } from '../lib/vocabulary';

export function drawsSection(opened: Opened): Child[] {
  const draw = opened.draw();
  if (!draw) return [h('p', { class: 'nothing' }, '–')];
  return [
    draw.claim ? claimCard(opened, draw.claim) : null,
    draw.must_play
      ? h(
          'p',
          { class: 'warning' },
          t(draw.must_play.legal ? 'draws.must_play' : 'draws.must_play_piece', {
            side: side(draw.must_play.by),
            move: san(draw.must_play.move.san),
          }),
        )
      : null,
    h(
      'dl',
      {},
      draw.offer ? fact(t('draws.offer'), offerText(draw.offer)) : null,
      fact(t('draws.claims'), ...(opened.game()?.result ? [t('opened.closed')] : claimsNow(draw))),
      draw.arbiter_decides?.length ? fact(t('draws.disputed'), claimsText(draw.arbiter_decides)) : null,
      fact(t('draws.repetition'), ...repetition(opened, draw)),
      fact(t('draws.counter'), counterText(draw)),
      draw.automatic
        ? fact(t('draws.automatic'), h('b', {}, `${reasonWords(draw.automatic.kind)} (${draw.automatic.article})`))
        : null,
      draw.first_end
        ? fact(
            t('draws.first_end'),
            t('draws.first_end_at', {
              reason: reasonWords(draw.first_end.kind),
              article: draw.first_end.article,
              ply: draw.first_end.ply,
            }),
          )
        : null,
      draw.touched?.length
        ? fact(t('draws.touched'), h('ul', {}, ...draw.touched.map((touched) => h('li', {}, touchedText(touched)))))
        : null,
      draw.lost?.length
        ? fact(t('draws.lost'), h('ul', {}, ...draw.lost.map((lost) => h('li', {}, lostText(lost)))))
        : null,
    ),
  ];
}

/** Claims that would succeed: one line per ground, with the intended moves in a row. */
function claimsNow(draw: Draw): Child[] {
  if (draw.claims.length === 0) return [t('draws.no_claims')];
  return [claimsText(draw.claims), h('p', { class: 'hint' }, t('draws.do_not_tell'))];
}

function claimsText(claims: readonly Possible[]): HTMLElement {
  const grounds = new Map<string, Possible[]>();
  for (const claim of claims) {
    const key = `${claim.kind}/${claim.basis}/${claim.article}/${claim.by}`;
    grounds.set(key, [...(grounds.get(key) ?? []), claim]);
  }
  const lines = [...grounds.values()].map((same) => {
    const first = same[0] as Possible;
    const moves = same.map((claim) =>
      claim.move ? `${san(claim.move.san)}${claim.ends_game ? ` (${t('draws.ends_game')})` : ''}` : '',
    );
    const how = first.basis === 'appeared' ? t('claims.on_board') : t('claims.with_move', { moves: moves.join(', ') });
    return h('li', {}, `${t(`side.${first.by}`)}: ${named('kind', first.kind)} (${first.article}), `, h('b', {}, how));
  });
  return h('ul', {}, ...lines);
}

/** Each occurrence can be shown on the board. */
function repetition(opened: Opened, draw: Draw): Child[] {
  const { count, plies } = draw.repetition;
  const buttons = plies.map((ply) =>
    h(
      'button',
      {
        type: 'button',
        class: 'ply',
        'data-key': `ply-${ply}`,
        'aria-label': t('draws.look_at_ply', { move: plyLabel(opened.game(), ply) }),
        onclick: () => opened.lookAt(ply),
      },
      plyLabel(opened.game(), ply),
    ),
  );
  const left = draw.automatic_in.occurrences;
  return [
    h('span', {}, h('b', {}, t('draws.times', { count })), count > 1 ? ' – ' : ''),
    ...(count > 1 ? buttons : []),
    left !== null && count > 1 && left > 0
      ? h('span', { class: 'hint' }, ` ${t('draws.to_fivefold', { count: left })}`)
      : null,
  ];
}

function counterText(draw: Draw): string {
  const count = draw.halfmove_clock;
  const moves = Math.floor(count / 2);
  const left = draw.automatic_in.plies;
  const fifty = t(count < 100 ? 'draws.fifty' : 'draws.fifty_reached', { moves, count });
  return left === null ? fifty : `${fifty} · ${t('draws.to_75', { count: left })}`;
}

function claimCard(opened: Opened, claim: ClaimRecord): HTMLElement {
  const announced = claim.move
    ? t('claims.with_move', { moves: san(claim.move.san) })
    : claim.basis === 'appeared'
      ? t('claims.on_board')
      : '';
  const verdict = claim.finding ?? 'none';
  const evidence = evidenceText(opened, claim);
  return h(
    'div',
    { class: `claim verdict verdict-${verdict}` },
    h('h4', {}, t('claim.open', { side: side(claim.by) })),
    h(
      'p',
      {},
      `${named('kind', claim.kind)} (${claim.article})${announced ? `, ${announced}` : ''} – ${t('ply.number', { ply: claim.ply })}, ${timeOfDay(claim.time)}`,
    ),
    h('p', {}, h('b', {}, named('finding', verdict)), ` ${evidence}`),
    claim.contested ? h('p', { class: 'warning' }, t('claim.contested', { what: touchedText(claim.contested) })) : null,
    claim.remarks?.length
      ? h('ul', { class: 'remarks' }, ...claim.remarks.map((remark) => h('li', {}, named('remark', remark))))
      : null,
    claim.ruled_before
      ? h(
          'p',
          {},
          t('claim.ruled_before', {
            ruling: t(claim.ruled_before.correct ? 'claim.correct' : 'claim.incorrect'),
            by: claim.ruled_before.by,
          }),
        )
      : null,
  );
}

function evidenceText(opened: Opened, claim: ClaimRecord): string {
  if (claim.kind === 'fifty_move') return t('claim.counted', { plies: claim.halfmove_clock });
  const { plies = [] } = claim;
  const labels = plies.map((ply) => plyLabel(opened.game(), ply));
  if (labels.length > 0) return t('claim.found', { count: labels.length, plies: labels.join(', ') });
  // An impossible move leads to no position that could have occurred.
  const illegal = claim.remarks?.includes('announced_move_illegal');
  return claim.kind === 'threefold' && claim.finding === 'incorrect' && !illegal ? t('claim.found_never') : '';
}

function offerText(offer: StandingOffer): string {
  const parts = [
    t(offer.by_claim ? 'draws.offer_by_claim' : 'draws.offer_by', { side: side(offer.by), ply: offer.ply }),
  ];
  if (offer.regular === false) parts.push(t('draws.offer_irregular'));
  if (offer.restricted) parts.push(t('draws.offer_restricted'));
  if (offer.times > 1) parts.push(t('draws.offer_times', { count: offer.times }));
  if (offer.condition) parts.push(t('draws.offer_condition', { condition: offer.condition }));
  return parts.join(' · ');
}

function touchedText(touched: Touched): string {
  const how = touched.by_arbiter
    ? 'touched.arbiter'
    : touched.adjusting
      ? 'touched.adjusting'
      : touched.sure
        ? 'touched.sure'
        : 'touched.unsure';
  const move = touched.move ? ` · ${t('touched.move', { move: san(touched.move.san) })}` : '';
  return `${t(`side.${touched.by}`)} ${touched.square} – ${t(how)}, ${timeOfDay(touched.time)}${move}`;
}

function lostText(lost: LostClaim): string {
  const how = lost.move ? t('claims.with_move', { moves: san(lost.move.san) }) : t('claims.on_board');
  const why = lost.reason === 'move' ? t('lost.move') : t('lost.touch', { square: lost.square ?? '' });
  return `${t(`side.${lost.by}`)}: ${named('kind', lost.kind)} (${lost.article}), ${how}, ${t('ply.number', { ply: lost.ply })} – ${why}`;
}
