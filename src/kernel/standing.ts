import type { Standing } from './context.ts';
import { coreErrors, fail } from './errors.ts';

/**
 * Refuses a suspended or closed account.
 *
 * @throws ApiError 403 `seller_suspended`
 */
export function refuseInactive({ status }: Pick<Standing, 'status'>): void {
  if (status === 'active') return;
  throw fail(
    coreErrors.seller_suspended,
    status === 'closed' ? { detail: 'The seller account is closed.' } : {},
  );
}

/**
 * Refuses an account that may not use the API. Every request and the exchange of tokens check it.
 *
 * @throws ApiError 403 `seller_suspended|seller_not_verified|api_access_disabled`
 */
export function refuseAccount(standing: Pick<Standing, 'status' | 'verified' | 'api_access'>): void {
  refuseInactive(standing);
  if (!standing.verified) throw fail(coreErrors.seller_not_verified);
  if (!standing.api_access) throw fail(coreErrors.api_access_disabled);
}
