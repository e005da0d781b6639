// Notes on actions and their answers: shown once, read once by the screen reader, and kept in a
// list.

import { h } from '../lib/dom';

export type Tone = 'ok' | 'warn' | 'bad';

const SHOWN_MS = 8_000;
const KEPT = 50;

const shown = h('div', { class: 'notes' });
const polite = h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
const urgent = h('div', { class: 'unseen', role: 'alert', 'aria-live': 'assertive' });

/** All notes so far, the newest first. */
const notes: { board: string; text: string; tone: Tone; at: Date }[] = [];

/** Adds the containers for notes to the page. */
export function placeNotes(into: Element): void {
  into.append(shown, polite, urgent);
}

/** Announces what was done at a board. */
export function announce(board: string, text: string, tone: Tone): void {
  notes.unshift({ board, text, tone, at: new Date() });
  notes.length = Math.min(notes.length, KEPT);
  const note = h('p', { class: `note note-${tone}` }, h('b', {}, board), ` ${text}`);
  shown.append(note);
  while (shown.childElementCount > 4) shown.firstElementChild?.remove();
  setTimeout(() => note.remove(), SHOWN_MS);
  polite.textContent = `${board}: ${text}`;
}

/**
 * Announces something urgent to the screen reader only; for the eye there are the tile and the
 * banner.
 */
export function cry(text: string): void {
  urgent.textContent = text;
}

/** What this console has done since it was opened. */
export function saidSoFar(): readonly { board: string; text: string; tone: Tone; at: Date }[] {
  return notes;
}
