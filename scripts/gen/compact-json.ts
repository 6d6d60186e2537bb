/**
 * JSON that is small and still shows a change as a few changed lines: a part that fits on a line stands on one,
 * a longer one is broken up. Nothing is indented, because indentation would add a fifth.
 */
const LINE_CHARS_MAX = 800;

/** @param before what stands on the line before the value */
function write(value: unknown, before: number): string {
  const flat = JSON.stringify(value);
  if (before + flat.length <= LINE_CHARS_MAX || typeof value !== 'object' || value === null) return flat;
  const lines = Array.isArray(value)
    ? value.map((one) => write(one, 0))
    : Object.entries(value).map(([key, one]) => {
        const name = `${JSON.stringify(key)}:`;
        return `${name}${write(one, name.length)}`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${close}`;
}

/** The value as text with a line break at its end. */
export const compactJson = (value: unknown): string => `${write(JSON.parse(JSON.stringify(value)), 0)}\n`;
