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

const REPLACEMENT = '\uFFFD';

/** Replaces what PostgreSQL cannot store in parsed JSON by U+FFFD, for content whose author gets no answer. */
export function storable<T>(value: T): T {
  if (findUnstorableText(value) === undefined) return value;
  const clean = (text: string): string => text.replaceAll('\0', REPLACEMENT).toWellFormed();
  const cleaned = (one: unknown): unknown => {
    if (typeof one === 'string') return clean(one);
    if (Array.isArray(one)) return one.map(cleaned);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [clean(key), cleaned(member)]));
  };
  return cleaned(value) as T;
}
