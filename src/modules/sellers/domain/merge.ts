/** Applies a patch to a section: an absent field is kept, null removes it, any other value replaces it. */
export function merge(
  section: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = Object.entries({ ...section, ...patch }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
}
