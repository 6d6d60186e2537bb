/**
 * The entry of a table under a word that a file gave; `undefined` for words that are no entry, those that
 * every object answers to (`constructor`) included.
 */
export function lookup<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
