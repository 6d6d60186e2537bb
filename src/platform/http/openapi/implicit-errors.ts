/** Errors of the request path. They follow from the access that a route declares. */
import { coreErrors, type ErrorDef } from '../../../kernel/errors.ts';
import { type AnyRoute, isChange, isSellerAccess, type ModuleDef } from '../../../kernel/route.ts';
import { marketplaceErrors } from '../../crypto/marketplace-tokens.ts';

const TOKEN = [coreErrors.token_missing, coreErrors.token_expired, coreErrors.token_invalid];
const STANDING = [
  coreErrors.permission_denied,
  coreErrors.seller_suspended,
  coreErrors.seller_not_verified,
  coreErrors.api_access_disabled,
];
const EVERYWHERE = [
  coreErrors.rate_limited,
  coreErrors.internal_error,
  coreErrors.unavailable,
  coreErrors.timeout,
];
const KEYED = [coreErrors.idempotency_key_reused, coreErrors.idempotency_in_progress];
const BODY = [coreErrors.payload_too_large, coreErrors.unsupported_media_type];

/** Whether the account flag of the area is checked. */
export const isAccountGated = (module: ModuleDef, route: AnyRoute): boolean =>
  isSellerAccess(route.access) && (route.access.module !== undefined || module.accountGated === true);

/** A seller that is not verified yet may call these routes; a suspended one may read. */
const setupErrors = (route: AnyRoute): readonly ErrorDef[] => [
  coreErrors.permission_denied,
  marketplaceErrors.seller_not_found,
  marketplaceErrors.marketplace_unavailable,
  ...(isChange(route) ? [coreErrors.seller_suspended, marketplaceErrors.insufficient_assurance] : []),
];

/**
 * The errors of a route in addition to its own, in the order of the checks. Errors of validation (422) and of the plan
 * (402) have families of their own and are left out.
 */
export function implicitErrors(module: ModuleDef, route: AnyRoute): readonly ErrorDef[] {
  const { access, body } = route;
  const declaresStatus = (status: number): boolean => route.errors.some((def) => def.status === status);
  return [
    ...(access.auth === 'public' ? [] : TOKEN),
    ...(access.auth === 'seller' ? STANDING : []),
    ...(access.auth === 'setup' ? setupErrors(route) : []),
    ...(isSellerAccess(access) && access.growsCatalogue !== undefined ? [coreErrors.agreement_required] : []),
    ...(isAccountGated(module, route) ? [coreErrors.module_unavailable] : []),
    ...(access.idempotency !== 'none' && route.method !== 'GET' ? KEYED : []),
    // A route that reads its body itself has its own errors for these.
    ...(body === undefined ? [] : [coreErrors.request_timeout]),
    ...(body === undefined ? [] : BODY.filter((def) => body.kind === 'json' || !declaresStatus(def.status))),
    ...EVERYWHERE,
  ];
}
