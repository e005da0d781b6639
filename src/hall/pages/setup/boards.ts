/** The boards of the form: their names, their ports, and what answers there. */

import { fill, h, setText } from '../lib/dom';
import { makeField, textInput, type Field } from './field';
import type { Answers, Port, Problem } from './server';
import { t } from './words';

type Board = Answers['boards'][number];

interface Row {
  readonly id: HTMLInputElement;
  readonly port: HTMLInputElement;
  readonly fields: { id: Field; port: Field };
  readonly state: HTMLElement;
}

export interface Boards {
  readonly element: HTMLElement;
  read(): Board[];
  refuse(problems: readonly Problem[]): void;
  /**
   * Shows what was found. Boards whose port is in no row get one, but for the ports that were in a
   * row when they were asked: that row was removed meanwhile.
   */
  found(ports: readonly Port[], asked: readonly string[]): void;
}

/** Makes the list. `changed` is called when a row has come or gone. */
export function makeBoards(first: readonly Board[], changed: () => void): Boards {
  let rows: Row[] = [];
  let ports: readonly Port[] = [];
  const list = h('ol', { class: 'boards' });
  const names = h('datalist', { id: 'ports' });
  const add = h(
    'button',
    { type: 'button', onclick: () => replace([...read(), { id: freeName(), port: '' }]) },
    t('add'),
  );

  const read = (): Board[] => rows.map(({ id, port }) => ({ id: id.value, port: port.value }));

  /** The first of b1, b2 and so on that no board has. */
  function freeName(taken = read()): string {
    const used = new Set(taken.map(({ id }) => id));
    let number = 1;
    while (used.has(`b${number}`)) number += 1;
    return `b${number}`;
  }

  function stateOf(path: string): string {
    const port = ports.find(({ name, device }) => name === path || device === path);
    if (path === '') return t('no_port');
    if (port === undefined) return t('not_asked');
    if (port.board) return t('board_there', { serial: port.board.serial ?? '?', version: port.board.version ?? '?' });
    if (port.access.may === 'denied' && port.access.group !== null) return t('denied', { group: port.access.group });
    return `${t('no_board')} (${port.problem ?? ''})`;
  }

  function makeRow({ id, port }: Board, number: number): HTMLElement {
    const row: Row = {
      id: textInput(`boards.${number}.id`, id, { maxlength: 32 }),
      port: textInput(`boards.${number}.port`, port, { list: 'ports' }),
      fields: {} as Row['fields'],
      state: h('p', { class: 'state', role: 'status' }, stateOf(port)),
    };
    row.fields.id = makeField(t('name'), row.id);
    row.fields.port = makeField(t('port'), row.port);
    row.port.addEventListener('input', () => setText(row.state, stateOf(row.port.value.trim())));
    rows.push(row);
    const remove = h(
      'button',
      { type: 'button', onclick: () => replace(read().filter((_, at) => at !== number)) },
      t('remove'),
    );
    remove.setAttribute('aria-label', t('remove_board', { board: id }));
    return h('li', null, row.fields.id.element, row.fields.port.element, row.state, remove);
  }

  function replace(boards: readonly Board[]): void {
    rows = [];
    fill(list, ...boards.map(makeRow));
    changed();
  }

  /**
   * Gives a board a row: an empty one, or a new one. Rows in which somebody types stay as they are.
   * Returns whether it had none.
   */
  function seat({ name, device }: Port): boolean {
    if (rows.some(({ port }) => port.value.trim() === name || port.value.trim() === device)) return false;
    const empty = rows.find(({ port }) => port.value.trim() === '' && port !== document.activeElement);
    if (empty) empty.port.value = name;
    else list.append(makeRow({ id: freeName(), port: name }, rows.length));
    return true;
  }

  replace(first);
  return {
    element: h('div', { class: 'fields' }, list, names, h('div', null, add)),
    read,
    refuse(problems) {
      rows.forEach(({ fields }, number) => {
        for (const part of ['id', 'port'] as const)
          fields[part].refuse(problems.filter(({ field }) => field === `boards.${number}.${part}`));
      });
    },
    found(all, asked) {
      ports = all;
      fill(names, ...all.map(({ name }) => h('option', { value: name })));
      const is = (path: string, port: Port): boolean => path === port.name || path === port.device;
      const added = all.filter(
        (port) => port.board !== undefined && !asked.some((path) => is(path, port)) && seat(port),
      );
      for (const { port, state } of rows) setText(state, stateOf(port.value.trim()));
      if (added.length > 0) changed();
    },
  };
}
