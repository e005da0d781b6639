/** DOM elements without a framework, made with `h` and updated only where they differ. */

type Attribute = string | number | boolean | null | undefined;
type Listener = (event: never) => void;
export type Props = Record<string, Attribute | Listener>;
export type Child = Node | string | number | null | undefined | false;

/**
 * Makes an element.
 *
 * A function is added as a listener (`onclick`); true becomes an empty attribute; false and null
 * are left out. Everything else is an attribute. There is no `style`, because the pages' policy
 * forbids it.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value as EventListener);
    else setAttribute(element, name, value);
  }
  append(element, children);
  return element;
}

/** Sets or removes an attribute, as `h` does. */
export function setAttribute(element: Element, name: string, value: Attribute): void {
  const text = value === true ? '' : value === false || value === null || value === undefined ? null : String(value);
  if (text === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Sets a text, and writes to the DOM only if it differs. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets `hidden` only if it changes. */
export function show(element: HTMLElement, visible: boolean): void {
  if (element.hidden === visible) element.hidden = !visible;
}

/** The element with this id in the page's HTML. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as T;
}
