// Acknowledges an alert with one tap and announces the answer.

import { send } from '../lib/command';
import type { Site } from './alarms';
import { doneText } from './ask';
import { announce } from './notes';
import type { Alert } from './payloads';
import { refusalText, t } from './say';

/** Acknowledges an alert for which this only means that it was seen. */
export async function acknowledge(board: string, alert: Alert, site?: Site): Promise<boolean> {
  const where = site ? `${site.site} · ${board}` : board;
  const onRetry = (): void => announce(where, t('ask.no_answer_yet'), 'warn');
  const reply = await send('arbiter', board, 'ack', { alert: alert.id }, { at: site?.path ?? '', onRetry });
  if (reply.ok) announce(where, `${t('alarm.acknowledged')} – ${doneText(reply)}`, reply.recorded ? 'ok' : 'warn');
  else announce(where, [refusalText(reply.code), reply.message].filter(Boolean).join(' '), 'bad');
  return reply.ok;
}
