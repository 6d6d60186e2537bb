/**
 * Whether a PDF opens a web address on its own: by its opening action, or by one of an event. An address behind a link
 * waits for a click. Source: ISO 32000-2, 12.6.2 to 12.6.4.
 */
import type { NumberedObject } from './pdf-objects.ts';

const ADDRESS = /\/URI(?![A-Za-z0-9])/;
/** Actions of events, such as the showing of a page. A font may be called like it. */
const EVENTS = /\/AA[ \xff]?(?:<<|[-+.\d]+[ \xff]+[-+.\d]+[ \xff]+R)/;
/** The value of the opening action: a dictionary without another one in it, a reference, or something else. */
const OPENING =
  /\/OpenAction(?![A-Za-z0-9])[ \xff]?(?:(<<[^<>]*>>)|[-+]?0*(\d+)[ \xff]+[-+.\d]+[ \xff]+R|([[/(]|null|>>))?/g;
/** An action with an address, or with a next one that may have it. */
const MAY_OPEN = /\/(?:URI|Next)(?![A-Za-z0-9])/;
const NUMBER_DIGITS_MAX = 10;

/** The numbers that an object may have for a reader that begins inside of its digits; undefined: any. */
const isNamed = (names: ReadonlySet<string>, { number }: NumberedObject): boolean =>
  number === undefined ||
  Array.from({ length: NUMBER_DIGITS_MAX }, (_, index) => number.slice(index)).some((name) =>
    names.has(name),
  );

/**
 * @param parts the plain texts of the file, with those of its streams
 * @param objects gives its dictionaries, arrays and names, also those in streams
 */
export function opensAddress(parts: readonly string[], objects: () => readonly NumberedObject[]): boolean {
  if (!parts.some((part) => ADDRESS.test(part))) return false;
  const names = new Set<string>();
  for (const part of parts) {
    if (EVENTS.test(part)) return true;
    for (const [, action, name, other] of part.matchAll(OPENING)) {
      if (name !== undefined) names.add(name);
      else if (action === undefined ? other === undefined : MAY_OPEN.test(action)) return true;
    }
  }
  if (names.size === 0) return false;
  const opened = objects().filter((object) => isNamed(names, object));
  // What is not found may be hidden.
  return opened.length === 0 || opened.some(({ text }) => MAY_OPEN.test(text));
}
