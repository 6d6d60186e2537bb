/**
 * Whether a PDF opens a web address on its own: by its opening action, or by one of an event. An address behind a link
 * waits for a click. Source: ISO 32000-2, 12.6.2 to 12.6.4.
 */
import type { NumberedObject } from './pdf-objects.ts';

const ADDRESS = /\/URI(?![A-Za-z0-9])/;
const NEXT = /\/Next(?![A-Za-z0-9])/;
/** Each action says its kind. Entries of an outline have a next one too, and say none. */
const KIND = /\/S(?![A-Za-z0-9])/;
/** The action of a link, or of an entry of the outline. */
const ON_CLICK = /\/A[ \xff]?<<[^<>]*>>/g;
/** What readers may take for a reference. */
const REFERENCE = '([-+.\\d]+)[ \\xff]+[-+.\\d]+[ \\xff]+R';
/**
 * Where the actions of the opening (`OpenAction`) or of events (`AA`) begin: a dictionary, a reference, or what is no
 * action. A font may be called like them.
 */
const BEGIN = new RegExp(
  `/(OpenAction|AA)(?![A-Za-z0-9])[ \\xff]?(?:(<<)|${REFERENCE}|([[/(]|null|>>))?`,
  'g',
);
/** An object that only leads to another one. */
const LEADS_ON = new RegExp(`obj[ \\xff]?${REFERENCE}`);
/** The events of annotations, pages, fields and files, with an action elsewhere. */
const EVENT = new RegExp(`/(?:[CDEFKOUVX]|Fo|Bl|P[OCVI]|[WD][CSP])[ \\xff]?${REFERENCE}`, 'g');
const NUMBER_DIGITS_MAX = 10;

/** Whether actions have an address, or a next action that may have it. */
function mayOpen(text: string): boolean {
  const own = text.replaceAll(ON_CLICK, '');
  return ADDRESS.test(own) || (NEXT.test(own) && KIND.test(own));
}

/** Where the dictionary ends whose brackets open before an offset; undefined if it is not closed. */
function dictionaryEnd(text: string, from: number): number | undefined {
  const brackets = /<<|>>/g;
  brackets.lastIndex = from;
  for (let depth = 1, match = brackets.exec(text); match !== null; match = brackets.exec(text)) {
    depth += match[0] === '<<' ? 1 : -1;
    if (depth === 0) return brackets.lastIndex;
  }
  return undefined;
}

/** The numbers of objects with actions: of what a file or its events do at once, and of events with more actions. */
interface Named {
  readonly actions: Set<string>;
  readonly events: Set<string>;
}

/** A number that is no whole one is that of no object, so its object is missing. */
const asName = (number: string): string => number.replace(/^[-+]?0*(?=\d)/, '');

const addActions = (text: string, actions: Set<string>): void => {
  for (const [, number = ''] of text.matchAll(EVENT)) actions.add(asName(number));
};

/** Collects the objects that a text names. @returns whether the text itself may open an address */
function readBegins(text: string, { actions, events }: Named): boolean {
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const [, key, dictionary, number, other] = match;
    if (dictionary !== undefined) {
      const end = dictionaryEnd(text, BEGIN.lastIndex);
      const own = text.slice(BEGIN.lastIndex, end);
      if (end === undefined || mayOpen(own)) return true;
      addActions(own, actions);
      BEGIN.lastIndex = end;
    } else if (number !== undefined) (key === 'AA' ? events : actions).add(asName(number));
    else if (key !== 'AA' && other === undefined) return true;
  }
  return false;
}

/**
 * The objects that have one of the numbers. Some readers begin inside the digits; an object whose number is unknown may
 * be any.
 *
 * @returns undefined if the file lacks one of them: what is not found may be hidden
 */
function objectsNamed(names: ReadonlySet<string>, objects: readonly NumberedObject[]): string[] | undefined {
  const found = new Set<string>();
  const texts: string[] = [];
  for (const { number, text } of objects) {
    const own = Array.from({ length: NUMBER_DIGITS_MAX }, (_, index) => number?.slice(index) ?? '').filter(
      (name) => names.has(name),
    );
    for (const name of own) found.add(name);
    if (number === undefined || own.length > 0) texts.push(text);
  }
  return found.size < names.size ? undefined : texts;
}

/**
 * @param parts the plain texts of the file, with those of its streams
 * @param objects gives its dictionaries, arrays and names, also those in streams
 */
export function opensAddress(parts: readonly string[], objects: () => readonly NumberedObject[]): boolean {
  if (!parts.some((part) => ADDRESS.test(part))) return false;
  const named: Named = { actions: new Set(), events: new Set() };
  if (parts.some((part) => readBegins(part, named))) return true;
  if (named.actions.size + named.events.size === 0) return false;
  if (parts.some((part) => LEADS_ON.test(part))) return true;
  const all = objects();
  const events = objectsNamed(named.events, all);
  for (const text of events ?? []) addActions(text, named.actions);
  const actions = objectsNamed(named.actions, all);
  return events === undefined || actions === undefined || [...events, ...actions].some(mayOpen);
}
