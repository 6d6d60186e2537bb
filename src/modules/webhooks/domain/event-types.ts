/** Patterns of event types: a type, `order.*` for every type below `order`, `*` for all. */

export function matchesType(pattern: string, type: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

/** The patterns that no known type matches. */
export function unknownPatterns(patterns: readonly string[], types: readonly string[]): string[] {
  return patterns.filter((pattern) => !types.some((type) => matchesType(pattern, type)));
}
