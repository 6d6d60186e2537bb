import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import type { AnyRoute } from '../../kernel/route.ts';
import { marketplaceErrors } from '../crypto/marketplace-tokens.ts';
import type { Services } from '../services.ts';

/** Statuses that every route of an access may answer without declaring them. */
const IMPLICIT = new Set([
  ...Object.keys(coreErrors),
  'validation_error',
  'feature_not_available',
  'tier_limit_exceeded',
]);

/**
 * Refuses an error that the route does not declare; for development and tests.
 *
 * @throws ApiError 500 `internal_error`
 */
export function checkDeclared(error: unknown, route: AnyRoute, log: Services['log']): void {
  if (
    !(error instanceof ApiError) ||
    IMPLICIT.has(error.code) ||
    (route.access.auth === 'setup' && error.code in marketplaceErrors) ||
    route.errors.some((def) => def.code === error.code)
  )
    return;
  log.error({ route: route.id, code: error.code }, 'the route answers an error that it does not declare');
  throw fail(coreErrors.internal_error, { detail: `undeclared error ${error.code}`, cause: error });
}
