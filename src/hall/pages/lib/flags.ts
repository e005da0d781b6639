/** The flag of a player's federation, by FIDE's code. */

import { setAttribute } from './dom';
import federations from './federations.json';

/** FIDE's codes and the countries (ISO 3166) whose flags they have. FIDE itself and whoever plays under its flag have none. */
const COUNTRIES = new Map(Object.entries(federations));

/** Shows a federation's flag in an `img`; returns whether it has one, else its code is to be shown. */
export function setFlag(image: HTMLImageElement, federation: string): boolean {
  const country = COUNTRIES.get(federation);
  setAttribute(image, 'src', country === undefined ? null : `assets/flag-${country}.svg`);
  image.alt = country === undefined ? '' : federation;
  image.hidden = country === undefined;
  return country !== undefined;
}
