import type { Entry } from '../../lib/words';
import { actions } from './en/actions';
import { facts } from './en/facts';
import { view } from './en/view';

/** The alerts that have a headline. Each must also have a short name. */
type Alert = keyof typeof facts extends infer Key ? (Key extends `headline.${infer Code}` ? Code : never) : never;

export const en = { ...view, ...actions, ...facts } satisfies Record<string, Entry> & Record<`about.${Alert}`, Entry>;

/** The keys for which every language has a text. */
export type Key = keyof typeof en;
