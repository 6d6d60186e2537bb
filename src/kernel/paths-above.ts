/** A path, of an address or a JSON pointer, and all above it, the shortest first. */
export const withPathsAbove = (path: string): string[] =>
  path.split('/').map((_, index, steps) => steps.slice(0, index + 1).join('/'));
