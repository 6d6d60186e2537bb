import { coreErrors, fail } from './errors.ts';
import { type IdKind, idPattern } from './ids.ts';

/** Returns an id. An id of another form names no object, so the answer is 404 without a query. */
export function idOf(kind: IdKind, given: string): string {
  if (!new RegExp(idPattern(kind)).test(given)) throw fail(coreErrors.not_found);
  return given;
}
