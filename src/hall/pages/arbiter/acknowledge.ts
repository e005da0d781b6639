// Acknowledges an alert with one tap and announces the answer.

import { send } from '../lib/command';
import { doneText } from './ask';
import { announce } from './notes';
import type { Alert } from './payloads';
import { named, t } from './say';

/** Acknowledges an alert for which this only means that it was seen. */
export async function acknowledge(board: string, alert: Alert): Promise<boolean> {
  const reply = await send('arbiter', board, 'ack', { alert: alert.id });
  if (reply.ok) announce(board, `${t('alarm.acknowledged')} – ${doneText(reply)}`, reply.recorded ? 'ok' : 'warn');
  else announce(board, [named('refusal', reply.code), reply.message].filter(Boolean).join(' '), 'bad');
  return reply.ok;
}
