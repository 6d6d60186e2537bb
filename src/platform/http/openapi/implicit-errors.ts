/** Errors that the request path itself answers, by what a route declares about its access. */
import { coreErrors, type ErrorDef } from '../../../kernel/errors.ts';
import type { AnyRoute, ModuleDef } from '../../../kernel/route.ts';

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

/** Whether the account flag of the area is asked for. */
export const isAccountGated = (module: ModuleDef, route: AnyRoute): boolean =>
  route.access.auth === 'seller' && (route.access.module !== undefined || module.accountGated === true);

/**
 * The errors of a route beside its own, in the order of the checks. Validation (422) and the plan (402) have
 * families of their own and are not among them.
 */
export function implicitErrors(module: ModuleDef, route: AnyRoute): readonly ErrorDef[] {
  const { access, body } = route;
  const declaresStatus = (status: number): boolean => route.errors.some((def) => def.status === status);
  return [
    ...(access.auth === 'public' ? [] : TOKEN),
    ...(access.auth === 'seller' ? STANDING : []),
    ...(isAccountGated(module, route) ? [coreErrors.module_unavailable] : []),
    ...(access.idempotency !== 'none' && route.method !== 'GET' ? KEYED : []),
    // A route that reads its body itself answers these in its own words.
    ...(body === undefined ? [] : [coreErrors.request_timeout]),
    ...(body === undefined ? [] : BODY.filter((def) => body.kind === 'json' || !declaresStatus(def.status))),
    ...EVERYWHERE,
  ];
}
