/** Routes of the setup take the marketplace's token too. Source: docs/adr/0023-setup-access.md. */
import type { SellerPrincipal, Standing } from '../../kernel/context.ts';
import { permissionsOf } from '../../kernel/permissions.ts';
import { type AnyRoute, isChange } from '../../kernel/route.ts';
import { refuseInactive } from '../../kernel/standing.ts';
import { bearerToken, tokenRefused } from '../crypto/authenticate.ts';
import { resolveMember } from '../crypto/resolve-member.ts';
import type { Exchange } from './exchange.ts';

/**
 * The member whose marketplace session was sent. A change asks for a session with a second factor.
 *
 * @throws ApiError 401, 403 `insufficient_assurance`, 404 `seller_not_found`, 503 `marketplace_unavailable`
 */
export async function memberOf(
  { deps: { services }, mounted: { route }, audit }: Exchange,
  authorization: string | undefined,
): Promise<SellerPrincipal> {
  const identity = await services.marketplaceTokens.verify(bearerToken(authorization, 'marketplace'));
  const { seller_id, member_id, roles } = await resolveMember(services, identity, {
    needsAal2: isChange(route),
    ...(audit && { auditAs: audit.as }),
  });
  return { seller_id, member_id, roles, permissions: permissionsOf(roles) };
}

/**
 * Refuses a session that has ended, a member that was removed or has other roles since the token was read, and a change by a seller that is suspended or closed.
 *
 * @throws ApiError 401 `token_invalid`, 403 `seller_suspended`
 */
export function refuseSetup(route: AnyRoute, standing: Standing, live: true | 'ended' | 'member'): void {
  if (live !== true) throw tokenRefused(live);
  if (isChange(route)) refuseInactive(standing);
}
