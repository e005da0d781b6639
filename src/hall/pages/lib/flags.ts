/** The flag of a player's federation, by FIDE code. */

import { setAttribute } from './dom';
import federations from './federations.json';

/**
 * FIDE codes with the countries (ISO 3166) whose flags they use. FIDE, and players under its flag,
 * have none.
 */
const COUNTRIES = new Map(Object.entries(federations));

/**
 * Shows a federation's flag in an `img`. Returns false if there is none and its code should be
 * shown.
 */
export function setFlag(image: HTMLImageElement, federation: string): boolean {
  const country = COUNTRIES.get(federation);
  setAttribute(image, 'src', country === undefined ? null : `assets/flag-${country}.svg`);
  image.alt = country === undefined ? '' : federation;
  image.hidden = country === undefined;
  return country !== undefined;
}
