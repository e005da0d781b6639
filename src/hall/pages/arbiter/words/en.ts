import type { Entry } from '../../lib/words';
import { actions } from './en/actions';
import { facts } from './en/facts';
import { view } from './en/view';

export const en = { ...view, ...actions, ...facts } satisfies Record<string, Entry>;

/** Every language has words for these. */
export type Key = keyof typeof en;
