import type { Entry } from '../../lib/words';
import { actions } from './nl/actions';
import { facts } from './nl/facts';
import { view } from './nl/view';
import type { Key } from './en';

export const nl: Record<Key, Entry> = { ...view, ...actions, ...facts };
