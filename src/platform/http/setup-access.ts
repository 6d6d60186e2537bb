/** Routes of the setup take the marketplace's token too. Source: docs/adr/0023-setup-access.md. */
import type { SellerPrincipal, Standing } from '../../kernel/context.ts';
import { permissionsOf } from '../../kernel/permissions.ts';
import { type AnyRoute, isChange } from '../../kernel/route.ts';
import { refuseInactive } from '../../kernel/standing.ts';
import { bearerToken, tokenRefused } from '../crypto/authenticate.ts';
import { requireAal2, resolveMember } from '../crypto/resolve-member.ts';
import type { Services } from '../services.ts';

/**
 * The member whose marketplace session was sent. A change asks for a session with a second factor.
 *
 * @throws ApiError 401, 403 `insufficient_assurance`, 404 `seller_not_found`, 503 `marketplace_unavailable`
 */
export async function memberOf(
  services: Services,
  route: AnyRoute,
  authorization: string | undefined,
): Promise<SellerPrincipal> {
  const identity = await services.marketplaceTokens.verify(bearerToken(authorization, 'marketplace'));
  if (isChange(route)) requireAal2(identity);
  const { seller_id, member_id, roles } = await resolveMember(services, identity);
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
