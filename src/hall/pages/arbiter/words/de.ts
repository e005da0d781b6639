import type { Entry } from '../../lib/words';
import { actions } from './de/actions';
import { facts } from './de/facts';
import { view } from './de/view';
import type { Key } from './en';

export const de: Record<Key, Entry> = { ...view, ...actions, ...facts };
