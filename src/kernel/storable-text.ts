/** Whether PostgreSQL can store the text: it has no NUL and no half of a surrogate pair. */
function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * Finds the first text in parsed JSON, a key or a value, that PostgreSQL cannot store.
 *
 * @returns its path from the root, or undefined
 */
export function findUnstorableText(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    if (!isStorableText(key)) return [step];
    const found = findUnstorableText(member);
    if (found !== undefined) return [step, ...found];
  }
  return undefined;
}
