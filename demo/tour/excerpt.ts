/** Shortens an answer to the fields that matter, and lays it out for people. */

const WIDTH = 100;
/** Items of a list that are shown, unless a step says otherwise. */
const ITEMS = 3;
/** Longer words, such as tokens, are cut. */
const WORD = 64;
const WORD_SHOWN = 20;
const MORE = '…';

/** The parts of a value that the paths lead to; a path leads into every item of a list. */
function pick(value: unknown, paths: readonly string[], items: number): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, items).map((item) => pick(item, paths, items));
    return value.length > items ? [...shown, MORE] : shown;
  }
  if (paths.includes('') || typeof value !== 'object' || value === null) return value;
  const names = [...new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))];
  const below = (name: string): string[] =>
    paths
      .filter((path) => path === name || path.startsWith(`${name}.`))
      .map((path) => path.slice(name.length + 1));
  return Object.fromEntries(
    names
      .filter((name) => name in value)
      .map((name) => [name, pick((value as Record<string, unknown>)[name], below(name), items)]),
  );
}

/** JSON with a line for each part that is too long for one line. */
function layOut(value: unknown, indent: string): string {
  if (value === MORE) return MORE;
  if (typeof value === 'string')
    return JSON.stringify(
      value.length > WORD && !value.includes(' ') ? `${value.slice(0, WORD_SHOWN)}${MORE}` : value,
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const parts = (inner: string): string[] =>
    list
      ? value.map((item) => layOut(item, inner))
      : Object.entries(value).map(([name, part]) => `"${name}": ${layOut(part, inner)}`);
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  const short = parts(indent);
  const line = list ? `[${short.join(', ')}]` : short.length === 0 ? '{}' : `{ ${short.join(', ')} }`;
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  return `${open}\n${parts(inner)
    .map((part) => `${inner}${part}`)
    .join(',\n')}\n${indent}${close}`;
}

/** An answer in JSON, shortened to the named fields; without names as it is. */
export const excerptOf = (answer: unknown, show: readonly string[] = [''], items = ITEMS): string =>
  layOut(pick(answer, show, items), '');

const LINES = 6;

/** The first lines of a text. */
export function firstLines(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const shown = lines
    .slice(0, LINES)
    .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}${MORE}` : line));
  return [...shown, ...(lines.length > LINES ? [MORE] : [])].join('\n');
}
