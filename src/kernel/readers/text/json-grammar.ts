/**
 * The text between the rows of a JSON feed: `[row, …]` or `{"rows": [row, …], …}`.
 * It is a table: state → byte → action. If no byte of the state matches, and `begins` names a value (row, key, member),
 * that value begins.
 */
export type JsonState =
  | 'start'
  | 'first_row'
  | 'next_row'
  | 'after_row'
  | 'first_key'
  | 'next_key'
  | 'after_key'
  | 'member'
  | 'after_member'
  | 'end';

type JsonStep = JsonState | 'open_rows' | 'close_rows';

interface JsonRule {
  readonly on: Readonly<Record<string, JsonStep>>;
  readonly begins?: 'row' | 'key' | 'member';
  readonly expected: string;
}

export const JSON_RULES: Readonly<Record<JsonState, JsonRule>> = {
  start: {
    on: { '[': 'open_rows', '{': 'first_key' },
    expected: 'a JSON array of rows, or an object with a "rows" array',
  },
  first_row: { on: { ']': 'close_rows' }, begins: 'row', expected: 'a row or "]"' },
  next_row: { on: {}, begins: 'row', expected: 'a row' },
  after_row: { on: { ',': 'next_row', ']': 'close_rows' }, expected: '"," or "]"' },
  first_key: { on: { '}': 'end' }, begins: 'key', expected: 'a key or "}"' },
  next_key: { on: {}, begins: 'key', expected: 'a key' },
  after_key: { on: { ':': 'member' }, expected: '":"' },
  member: { on: {}, begins: 'member', expected: 'a value' },
  after_member: { on: { ',': 'next_key', '}': 'end' }, expected: '"," or "}"' },
  end: { on: {}, expected: 'the end of the file' },
};

const VALUE_START = new Set('{["-0123456789tfn');

/** Whether `char` can be the first character of the value that begins in `state`. */
export function canBegin(state: JsonState, char: string): boolean {
  const { begins } = JSON_RULES[state];
  return begins === 'key' ? char === '"' : begins !== undefined && VALUE_START.has(char);
}
