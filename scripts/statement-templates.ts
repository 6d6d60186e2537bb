/** Finds the templates of statements in a source, for the list of those that no test has made. */

const BEGINS = /^\s*(?:with|select|insert|update|delete|merge|declare|truncate|lock)\b/i;

interface Found {
  /** The text pieces between the holes, as the tag gets them. */
  readonly pieces: readonly string[];
  /** Index behind the closing backtick. */
  readonly end: number;
  /** Templates inside the holes. */
  readonly inner: readonly (readonly string[])[];
}

/** Reads the template that begins behind a backtick. */
function readTemplate(source: string, start: number): Found {
  const pieces: string[] = [];
  const inner: (readonly string[])[] = [];
  let piece = '';
  let at = start;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') {
      piece += source.slice(at, at + 2);
      at += 2;
    } else if (source.startsWith('${', at)) {
      pieces.push(piece);
      piece = '';
      let depth = 1;
      at += 2;
      while (at < source.length && depth > 0) {
        if (source[at] === '`') {
          const found = readTemplate(source, at + 1);
          inner.push(found.pieces, ...found.inner);
          at = found.end;
          continue;
        }
        depth += source[at] === '{' ? 1 : source[at] === '}' ? -1 : 0;
        at += 1;
      }
    } else {
      piece += source[at];
      at += 1;
    }
  }
  return { pieces: [...pieces, piece], end: at + 1, inner };
}

/** The name of a template: its text without values and extra blanks. */
export const nameOf = (pieces: readonly string[]): string => pieces.join('{}').replaceAll(/\s+/g, ' ').trim();

/** Names of the statements in a source that are tagged `statement(…)` or `command`. */
export function statementsIn(text: string): string[] {
  // Backticks of comments are no templates.
  const source = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const names: string[] = [];
  for (let at = source.indexOf('`'); at !== -1 && at < source.length; at = source.indexOf('`', at)) {
    const { pieces, end } = readTemplate(source, at + 1);
    const tagged = /(?:\)|\bcommand)\s*$/.test(source.slice(Math.max(0, at - 40), at));
    if (tagged && BEGINS.test(pieces[0] ?? '')) names.push(nameOf(pieces));
    at = end;
  }
  return names;
}
