/** The dialog before a command to a daemon: what will happen, then the daemon's answer. */

import { send } from './command';
import { h, setText } from './dom';
import { codeWords, v } from './vocabulary';
import type { Role } from './topics';
import { words, type Dictionary } from './words';

type Word = 'asking' | 'no_answer' | 'reset' | 'reset_title' | 'reset_effect_1' | 'reset_effect_2';

const DICTIONARY: Dictionary<Word> = {
  en: {
    asking: 'No answer yet. Asking again …',
    no_answer: 'The computer does not respond.',
    reset: 'Send anew',
    reset_title: 'Send round {round} anew to Lichess?',
    reset_effect_1: 'Viewers see the round empty for a moment.',
    reset_effect_2: 'Moves that were corrected disappear. Only what the public may see is sent.',
  },
  de: {
    asking: 'Noch keine Antwort. Es wird erneut gefragt …',
    no_answer: 'Der Rechner antwortet nicht.',
    reset: 'Neu senden',
    reset_title: 'Runde {round} neu an Lichess senden?',
    reset_effect_1: 'Zuschauer sehen die Runde kurz leer.',
    reset_effect_2: 'Berichtigte Züge verschwinden. Gesendet wird nur, was öffentlich ist.',
  },
  nl: {
    asking: 'Nog geen antwoord. Er wordt opnieuw gevraagd …',
    no_answer: 'De computer reageert niet.',
    reset: 'Opnieuw verzenden',
    reset_title: 'Ronde {round} opnieuw naar Lichess verzenden?',
    reset_effect_1: 'Kijkers zien de ronde even leeg.',
    reset_effect_2: 'Verbeterde zetten verdwijnen. Alleen wat openbaar is wordt verzonden.',
  },
};
const t = words(DICTIONARY);

export interface Confirmation {
  role: Role;
  node: string;
  verb: string;
  title: string;
  effects: string[];
  fields?: Node[];
  /** The command's arguments, or null while something is missing. */
  args(): Record<string, unknown> | null;
  button: string;
  /** Viewers notice it. */
  grave?: boolean;
}

/** Asks, and sends the command when it is confirmed. */
export function confirmCommand(ask: Confirmation): void {
  const answer = h('p', { class: 'trouble', role: 'alert' });
  const submit = h('button', { type: 'submit', class: ask.grave === true ? 'danger' : 'primary' }, ask.button);
  const refresh = (): void => {
    submit.disabled = ask.args() === null;
  };
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, v('cancel'));
  const form = h(
    'form',
    {
      method: 'dialog',
      novalidate: true,
      oninput: refresh,
      onchange: refresh,
      onsubmit: (event: Event) => {
        event.preventDefault();
        void act();
      },
    },
    h('h2', { id: 'confirm-title' }, ask.title),
    h('ul', { class: 'effects' }, ...ask.effects.map((effect) => h('li', {}, effect))),
    ask.fields ? h('div', { class: 'fields' }, ...ask.fields) : null,
    answer,
    h('div', { class: 'buttons' }, cancel, submit),
  );
  const dialog = h('dialog', { class: 'confirm', 'aria-labelledby': 'confirm-title' }, form);
  const act = async (): Promise<void> => {
    const args = ask.args();
    if (args === null || submit.disabled) return;
    submit.disabled = true;
    setText(answer, '');
    const reply = await send(ask.role, ask.node, ask.verb, args, { onRetry: () => setText(answer, t('asking')) });
    if (reply.ok) return dialog.close();
    setText(answer, [reason(reply.code), reply.message].filter((part) => part !== '').join(' '));
    refresh();
  };
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  refresh();
  dialog.showModal();
}

/** The words for a code are those for a board, except where the daemon itself is meant. */
function reason(code: string): string {
  if (code === 'no_answer') return t('no_answer');
  return codeWords(code);
}

/** The question whether a round is reset on Lichess. */
export function askReset(role: Role, node: string, round: number): void {
  confirmCommand({
    role,
    node,
    verb: 'lichess_reset',
    title: t('reset_title', { round }),
    effects: [t('reset_effect_1'), t('reset_effect_2')],
    args: () => ({ round }),
    button: t('reset'),
    grave: true,
  });
}
