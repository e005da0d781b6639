// The dialog before every action of the console. It shows the facts, the choices, the effects and
// then the daemon's answer.

import { send, type Reply } from '../lib/command';
import { h } from '../lib/dom';
import type { About, Subject } from './subject';
import { refusalText, t } from './say';
import { announce } from './notes';

export interface Question {
  title: string;
  /** The facts, shown above the choices. */
  facts?: (Node | string)[];
  fields?: Node[];
  /** What will happen on confirmation, one sentence each. */
  effects: () => string[];
  /** The command's arguments, or null while something is missing. */
  args: () => Record<string, unknown> | null;
  /** The text on the button. */
  confirm: () => string;
  verb: string;
  /**
   * What the decision depends on; if that changes in the meantime, the arbiter must look again. Defaults
   * to the exact position.
   */
  about?: About;
  /** False if the command is right whatever has happened since, such as stopping a clock. */
  guarded?: boolean;
  /** The action ends a game or discards something. */
  grave?: boolean;
  /**
   * Opens the question again for the current board. Needed if the facts or the choices were taken
   * from the previous state.
   */
  again?: () => Promise<boolean>;
}

const ATTEMPTS = 8;
const SETTLE_MS = 200;
const CATCH_UP_MS = 300;

/** Asks, and sends the command on confirmation. Resolves when the dialog is closed. */
export function ask(subject: Subject, question: Question): Promise<boolean> {
  return new Promise((resolve) => new Asking(subject, question, resolve).open());
}

class Asking {
  private readonly dialog: HTMLDialogElement;
  private readonly effects = h('ul', { class: 'effects' });
  private readonly moved = h('div', { class: 'moved', role: 'alert' });
  private readonly answer = h('div', { class: 'answer', role: 'alert' });
  private readonly button: HTMLButtonElement;
  private readonly returnTo = document.activeElement;
  /** The newest entry up to which everything that the decision depends on was unchanged. */
  private seq: number;
  private moment: string;
  private busy = false;
  private hasMoved = false;
  private settling = 0;
  private done = false;
  /** Whether another dialog has taken its place. */
  private replaced = false;
  private readonly unwatch: () => void;

  constructor(
    private readonly subject: Subject,
    private readonly question: Question,
    private readonly resolve: (done: boolean | Promise<boolean>) => void,
  ) {
    this.seq = subject.seq();
    this.moment = subject.moment(this.about);
    this.button = h('button', {
      type: 'submit',
      class: question.grave ? 'primary grave' : 'primary',
    }) as HTMLButtonElement;
    this.dialog = this.build();
    this.unwatch = subject.watch(() => this.checkMoved());
  }

  open(): void {
    document.body.append(this.dialog);
    this.refresh();
    this.dialog.showModal();
    const first = this.dialog.querySelector<HTMLElement>(
      '[autofocus], .fields input, .fields select, .fields textarea',
    );
    (first ?? this.button).focus();
  }

  private get about(): About {
    return this.question.about ?? 'position';
  }

  private build(): HTMLDialogElement {
    const { title, facts, fields } = this.question;
    const form = h(
      'form',
      { method: 'dialog', novalidate: true, onsubmit: (event: Event) => this.submit(event) },
      h('header', {}, h('p', { class: 'where' }, this.subject.label()), h('h2', { id: 'ask-title' }, title)),
      facts?.length ? h('div', { class: 'facts' }, ...facts) : null,
      fields?.length ? h('div', { class: 'fields' }, ...fields) : null,
      h('section', { class: 'consequences', 'aria-live': 'polite' }, h('h3', {}, t('ask.what_happens')), this.effects),
      this.moved,
      this.answer,
      h('footer', {}, h('button', { type: 'button', onclick: () => this.close() }, t('ask.cancel')), this.button),
    );
    const dialog = h('dialog', { class: 'ask', 'aria-labelledby': 'ask-title' }, form) as HTMLDialogElement;
    form.addEventListener('input', () => this.refresh());
    form.addEventListener('change', () => this.refresh());
    dialog.addEventListener('close', () => this.closed());
    return dialog;
  }

  private refresh(): void {
    const effects = this.question.effects();
    this.effects.replaceChildren(...effects.map((effect) => h('li', {}, effect)));
    this.button.textContent = this.question.confirm();
    this.button.disabled = this.busy || this.hasMoved || this.question.args() === null;
  }

  /** The board has moved on while the arbiter was reading: they must look again before deciding. */
  private checkMoved(): void {
    if (this.question.guarded === false || this.hasMoved) return;
    if (this.subject.moment(this.about) === this.moment) {
      const seq = this.subject.seq();
      this.settling ||= window.setTimeout(() => this.settle(seq), SETTLE_MS);
      return;
    }
    this.hasMoved = true;
    const look = { type: 'button', disabled: this.busy, onclick: () => this.lookAgain() };
    const again = h('button', look, t('ask.look_again'));
    this.moved.replaceChildren(h('p', {}, t('ask.moved', { now: this.subject.nowText() })), again);
    this.refresh();
  }

  /**
   * The topics of one entry arrive one by one, so an entry counts as seen only after a short pause.
   */
  private settle(seq: number): void {
    this.settling = 0;
    if (this.hasMoved || this.subject.moment(this.about) !== this.moment) return;
    this.seq = seq;
    if (this.subject.seq() > seq) this.checkMoved();
  }

  private lookAgain(): void {
    // A command on its way is answered first: looking again must not send it for another position.
    if (this.busy) return;
    if (this.question.again) return this.askAnew(this.question.again);
    this.hasMoved = false;
    this.seq = this.subject.seq();
    this.moment = this.subject.moment(this.about);
    this.moved.replaceChildren();
    this.answer.replaceChildren();
    this.refresh();
    this.button.focus();
  }

  private askAnew(again: () => Promise<boolean>): void {
    this.replaced = true;
    this.dialog.close();
    this.putAway();
    this.resolve(again());
  }

  private async submit(event: Event): Promise<void> {
    event.preventDefault();
    const args = this.question.args();
    if (this.busy || this.hasMoved || args === null) return;
    this.setBusy(true);
    const answer = await this.sendGuarded(args);
    this.setBusy(false);
    if (answer.ok) {
      this.done = true;
      announce(
        this.subject.board,
        `${this.question.confirm()} – ${doneText(answer)}`,
        !answer.recorded ? 'warn' : 'ok',
      );
      this.close();
    } else {
      this.refused(answer);
    }
  }

  /**
   * Sends the command together with the entry that the arbiter has seen.
   *
   * If the board has changed only in ways that do not affect the decision, the command is sent
   * again once the page has caught up.
   */
  private async sendGuarded(args: Record<string, unknown>): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const guard = this.question.guarded === false ? {} : { if_seq: this.seq };
      const sent = this.seq;
      const reply = await send(
        'arbiter',
        this.subject.board,
        this.question.verb,
        { ...args, ...guard },
        {
          onRetry: () => this.answer.replaceChildren(h('p', { class: 'wait' }, t('ask.no_answer_yet'))),
        },
      );
      if (reply.ok || reply.code !== 'stale' || attempt === ATTEMPTS) return reply;
      await new Promise((done) => setTimeout(done, CATCH_UP_MS));
      if (this.seq === sent || this.hasMoved) return reply;
    }
  }

  private setBusy(busy: boolean): void {
    this.busy = busy;
    this.button.disabled = busy || this.hasMoved;
    this.button.setAttribute('aria-busy', String(busy));
    for (const again of this.moved.querySelectorAll('button')) again.disabled = busy;
    if (busy) this.answer.replaceChildren(h('p', { class: 'wait' }, t('ask.waiting')));
  }

  private refused(answer: Reply & { ok: false }): void {
    if (!this.dialog.isConnected) {
      const what = `${this.question.title} – ${refusalText(answer.code)}`;
      return announce(this.subject.board, [what, answer.message].filter(Boolean).join(' '), 'bad');
    }
    const detail = answer.message ? h('p', { class: 'said', lang: 'en' }, answer.message) : null;
    const parts: (Node | null)[] = [h('p', { class: 'refused' }, refusalText(answer.code)), detail];
    if (answer.code === 'stale') {
      parts.push(h('button', { type: 'button', onclick: () => this.lookAgain() }, t('ask.look_again')));
    }
    this.answer.replaceChildren(...parts.filter((part) => part !== null));
  }

  private close(): void {
    this.dialog.close();
  }

  private closed(): void {
    if (this.replaced) return;
    this.putAway();
    this.resolve(this.done);
  }

  private putAway(): void {
    this.unwatch();
    window.clearTimeout(this.settling);
    this.dialog.remove();
    if (this.returnTo instanceof HTMLElement && this.returnTo.isConnected) this.returnTo.focus({ preventScroll: true });
  }
}

/** The daemon's answer in words. */
export function doneText(answer: Reply & { ok: true }): string {
  if (!answer.recorded) return t('ask.not_recorded');
  return answer.seq === null ? t('ask.done') : t('ask.done_at', { seq: answer.seq });
}
