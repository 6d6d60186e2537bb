import { coreErrors, fail } from './errors.ts';
import { type IdKind, idPattern } from './ids.ts';

/** An id of another shape names nothing; the database is not asked. */
export function idOf(kind: IdKind, given: string): string {
  if (!new RegExp(idPattern(kind)).test(given)) throw fail(coreErrors.not_found);
  return given;
}
