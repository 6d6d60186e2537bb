/**
 * A start of the embedded server that cannot go on for a reason the operator can act on.
 * The message says what is wrong and what to do; a stack trace would add nothing, so callers print the
 * message alone.
 */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
}

/** The message of whatever was thrown. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`ENOENT`, `EACCES`, …), or undefined. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
