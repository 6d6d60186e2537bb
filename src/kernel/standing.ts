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

/** Where a seller reads the terms and accepts them. */
const AGREEMENT = '/api/v1/seller-agreement';

/**
 * Refuses what would grow the catalogue of a seller that has not accepted the marketplace's terms in time.
 *
 * @param now milliseconds of the service's clock
 * @throws ApiError 403 `agreement_required`
 */
export function refuseOverdue(
  {
    agreement_version: version,
    agreement_due_at: since,
  }: Pick<Standing, 'agreement_version' | 'agreement_due_at'>,
  now: number,
): void {
  if (since === null || now < Date.parse(since)) return;
  throw fail(coreErrors.agreement_required, { facts: { version, href: AGREEMENT, since } });
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
