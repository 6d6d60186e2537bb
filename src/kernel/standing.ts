import type { Standing } from './context.ts';
import { coreErrors, fail } from './errors.ts';

/**
 * Refuses an account that may not use the API: every request asks this, and so does the exchange of tokens.
 *
 * @throws ApiError 403 `seller_suspended|seller_not_verified|api_access_disabled`
 */
export function refuseAccount(standing: Pick<Standing, 'status' | 'verified' | 'api_access'>): void {
  if (standing.status !== 'active') {
    throw fail(
      coreErrors.seller_suspended,
      standing.status === 'closed' ? { detail: 'The seller account is closed.' } : {},
    );
  }
  if (!standing.verified) throw fail(coreErrors.seller_not_verified);
  if (!standing.api_access) throw fail(coreErrors.api_access_disabled);
}
