// The frame around tiles, alerts and the opened board: alert counts, banners, filter, settings.

import { fill, h, setText, show } from '../lib/dom';
import type { StaleCause } from '../lib/feed';
import { languagePicker } from '../lib/language_picker';
import { ageWords } from '../lib/vocabulary';
import { countBadges, counts, LEVELS, openAlerts } from './alarms';
import { canStayAwake } from '../lib/wake';
import { CAN, type Bell, type Call } from './bell';
import type { Grid, Sort } from './grid';
import type { Hall } from './hall';
import { SHORTCUTS } from './keys';
import { mistrustTexts } from './mistrust';
import { saidSoFar } from './notes';
import { headline, t } from './say';
import { sign } from './signs';

export type View = 'boards' | 'alarms' | 'board';

export interface ShellParts {
  grid: Grid;
  bell: Bell;
  user: string;
  startRound(): void;
  saveResults(): void;
  leave(): void;
}

const STORED_SORT = 'remisd.arbiter.sort';

export class Shell {
  readonly element: HTMLElement;
  private readonly site = h('span', { class: 'site' });
  private readonly alarms = h('a', { class: 'counts', href: '#alarms' });
  private readonly boards = h('a', { class: 'button', href: '#' }, t('shell.boards'));
  private readonly banner = h('div', { class: 'banner stale-banner', role: 'alert', hidden: true });
  private readonly gone = h('div', { class: 'banner gone-banner', role: 'alert', hidden: true });
  private readonly silent = h(
    'div',
    { class: 'banner silent-banner', role: 'alert', hidden: true },
    h('span', {}, t('bell.silent')),
    ' ',
    h('button', { type: 'button', onclick: () => this.parts.bell.unmute() }, t('bell.hear')),
  );
  private readonly elsewhere = h('ul', { class: 'elsewhere', 'aria-label': t('shell.elsewhere'), hidden: true });
  private readonly filter = h('input', {
    type: 'search',
    placeholder: t('shell.filter'),
    'aria-label': t('shell.filter'),
    autocomplete: 'off',
  });
  private readonly sort = h(
    'select',
    { 'aria-label': t('shell.sort') },
    h('option', { value: 'urgency' }, t('shell.by_urgency')),
    h('option', { value: 'number' }, t('shell.by_number')),
  );
  private readonly tools: HTMLElement;
  private readonly loading = h('p', { class: 'empty' }, t('opened.loading'));
  private readonly main = h('main', { id: 'main', tabindex: '-1' });
  private countsShown = '';

  constructor(private readonly parts: ShellParts) {
    this.tools = h('div', { class: 'tools', role: 'search' }, this.filter, this.sort);
    this.element = h(
      'div',
      { class: 'shell' },
      h(
        'header',
        { class: 'bar' },
        h('h1', {}, t('shell.title'), this.site),
        this.alarms,
        h(
          'nav',
          { 'aria-label': t('shell.nav') },
          this.boards,
          h('button', { type: 'button', onclick: parts.startRound, class: 'round-button' }, t('round.open')),
          h('button', { type: 'button', onclick: () => this.showSettings() }, t('shell.settings')),
          h(
            'button',
            { type: 'button', class: 'help', 'aria-label': t('keys.help'), onclick: () => this.showHelp() },
            '?',
          ),
        ),
      ),
      this.banner,
      this.gone,
      this.silent,
      this.elsewhere,
      this.tools,
      this.main,
    );
    parts.bell.onSilence = (silenced) => show(this.silent, silenced);
    show(this.silent, parts.bell.silenced);
    this.sort.value = storedSort();
    this.filter.addEventListener('input', () => this.arrange());
    this.sort.addEventListener('change', () => {
      storeSort(this.sort.value);
      this.arrange();
    });
    this.arrange();
  }

  setSite(site: string): void {
    setText(this.site, ` · ${site}`);
  }

  /** Another user has signed in. */
  setUser(user: string): void {
    this.parts.user = user;
  }

  setReady(): void {
    this.loading.hidden = true;
  }

  /** Shows one of the three views. */
  show(view: View, element?: HTMLElement): void {
    this.element.dataset['view'] = view;
    show(this.tools, view === 'boards');
    if (view === 'boards')
      fill(
        this.main,
        h('h2', { class: 'unseen' }, t('shell.boards')),
        this.loading,
        this.parts.grid.empty,
        this.parts.grid.element,
      );
    else fill(this.main, element ?? null);
    this.boards.toggleAttribute('aria-current', view === 'boards');
    this.alarms.toggleAttribute('aria-current', view === 'alarms');
    if (view !== 'boards') {
      this.main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  }

  update(hall: Hall, openedBoard: string | null): void {
    this.updateCounts(hall);
    const gone = hall
      .gone()
      .map((node) => t(node.state === 'lost' ? 'shell.node_lost' : 'shell.node_offline', { node: node.node }));
    gone.push(...hall.silentNodes().map((node) => t('shell.node_silent', { node })), ...mistrustTexts(hall));
    const doubtful = [...hall.boards.values()].filter((board) => board.doubt !== null).length;
    show(this.gone, gone.length > 0);
    if (gone.length > 0) setText(this.gone, `${gone.join(' ')} ${t('shell.untrusted', { count: doubtful })}`);
    this.updateElsewhere(hall, openedBoard);
  }

  private updateCounts(hall: Hall): void {
    const found = counts(hall);
    const shown = LEVELS.map((level) => found[level]).join('/');
    if (shown === this.countsShown) return;
    this.countsShown = shown;
    fill(this.alarms, h('span', { class: 'unseen' }, `${t('alarms.title')}: `), ...countBadges(found));
  }

  /** While a board is open, keeps red alerts of other boards in view. */
  private updateElsewhere(hall: Hall, openedBoard: string | null): void {
    const red =
      openedBoard === null
        ? []
        : openAlerts(hall).filter(
            ({ board, alert }) => alert.level === 'red' && alert.acknowledged_by === null && board.name !== openedBoard,
          );
    show(this.elsewhere, red.length > 0);
    const key = red.map(({ board, alert }) => `${board.name}/${alert.id}/${alert.escalated}`).join();
    if (this.elsewhere.dataset['shown'] === key) return;
    this.elsewhere.dataset['shown'] = key;
    fill(
      this.elsewhere,
      ...red
        .slice(0, 4)
        .map(({ board, alert }) =>
          h(
            'li',
            { class: alert.escalated ? 'escalated' : null },
            h('a', { href: `#board=${board.name}` }, sign('red'), h('b', {}, board.name), ` ${headline(alert)}`),
          ),
        ),
      red.length > 4 ? h('li', {}, h('a', { href: '#alarms' }, t('tile.more', { count: red.length - 4 }))) : null,
    );
  }

  setStale(isStale: boolean, sinceMs: number, cause: StaleCause): void {
    show(this.banner, isStale);
    document.documentElement.classList.toggle('stale', isStale);
    const age = ageWords(sinceMs);
    // Screen readers announce that the connection is lost, but not its age every second.
    if (isStale && this.banner.dataset['cause'] !== cause) {
      this.banner.dataset['cause'] = cause;
      fill(
        this.banner,
        h('b', {}, t(cause === 'server' ? 'stale.server' : 'stale.broker')),
        ' ',
        h('span', { 'aria-hidden': 'true', class: 'age' }),
        ' ',
        t('stale.old'),
      );
    }
    if (!isStale) delete this.banner.dataset['cause'];
    const shown = this.banner.querySelector('.age');
    if (shown) setText(shown, age);
    this.parts.grid.setStale(isStale ? t('stale.tile', { age }) : null);
  }

  focusFilter(): void {
    this.filter.focus();
    this.filter.select();
  }

  clearFilter(): void {
    this.filter.value = '';
    this.arrange();
    this.parts.grid.restore();
  }

  private arrange(): void {
    this.parts.grid.show(this.filter.value, this.sort.value as Sort);
  }

  showHelp(): void {
    const rows = SHORTCUTS.map(([keys, does]) =>
      h(
        'div',
        {},
        h(
          'dt',
          {},
          ...keys
            .split(' ')
            .filter(Boolean)
            .map((key) => h('kbd', {}, key)),
        ),
        h('dd', {}, t(does)),
      ),
    );
    openPanel(
      t('keys.help'),
      h(
        'ul',
        { class: 'legend', role: 'list' },
        ...LEVELS.map((level) =>
          h('li', {}, sign(level), h('span', {}, h('b', {}, t(`level.${level}`)), ` – ${t(`legend.${level}`)}`)),
        ),
      ),
      h('h3', {}, t('legend.keys')),
      h('dl', { class: 'keys' }, ...rows),
    );
  }

  private showSettings(): void {
    const call = (which: Call): HTMLElement => {
      const box = h('input', {
        type: 'checkbox',
        checked: this.parts.bell.wants(which),
        disabled: !CAN[which],
        onchange: () => this.parts.bell.set(which, box.checked),
      });
      return h('label', { class: 'option' }, box, h('span', {}, t(`settings.${which}`)));
    };
    const done = saidSoFar().map((note) =>
      h(
        'li',
        { class: `note-${note.tone}` },
        `${note.at.toTimeString().slice(0, 8)} `,
        h('b', {}, note.board),
        ` ${note.text}`,
      ),
    );
    openPanel(
      t('shell.settings'),
      h('p', {}, t('settings.signed_in', { user: this.parts.user || '–' })),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onclick: this.parts.leave }, t('settings.sign_out')),
      ),
      h(
        'fieldset',
        {},
        h('legend', {}, t('settings.calls')),
        call('sound'),
        call('vibration'),
        CAN.sound ? null : h('p', { class: 'hint' }, t('settings.no_sound')),
        CAN.vibration ? null : h('p', { class: 'hint' }, t('settings.no_vibration')),
        h('p', { class: 'hint' }, t('settings.device')),
        h('p', { class: 'hint' }, t('settings.locked'), ' ', t(canStayAwake ? 'settings.awake' : 'settings.not_awake')),
      ),
      h('div', { class: 'field' }, h('b', {}, t('settings.language')), languagePicker()),
      h('h3', {}, t('results.title')),
      h('p', { class: 'hint' }, t('results.note')),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', 'data-act': 'results', onclick: this.parts.saveResults }, t('results.save')),
      ),
      h('h3', {}, t('settings.done')),
      done.length > 0 ? h('ol', { class: 'done' }, ...done) : h('p', { class: 'hint' }, t('settings.nothing_done')),
    );
  }
}

/** A dialog that only displays something. */
function openPanel(title: string, ...content: Node[]): void {
  const dialog = h(
    'dialog',
    { class: 'panel', 'aria-labelledby': 'panel-title' },
    h('h2', { id: 'panel-title' }, title),
    ...content,
    h('footer', {}, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, t('ask.close'))),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function storedSort(): Sort {
  try {
    return localStorage.getItem(STORED_SORT) === 'number' ? 'number' : 'urgency';
  } catch {
    return 'urgency';
  }
}

function storeSort(sort: string): void {
  try {
    localStorage.setItem(STORED_SORT, sort);
  } catch {
    // The setting then lasts until the page is closed.
  }
}
