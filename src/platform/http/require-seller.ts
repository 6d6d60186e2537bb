import { refuseStanding } from '../crypto/authenticate.ts';
import { command } from '../db/statement.ts';
import type { Services } from '../services.ts';

/** A statement without effect: its scope reads the seller's standing. */
export const READ_STANDING = command`select 1`;

/**
 * Refuses a request without a token of a seller that may use the API.
 *
 * @throws ApiError 401, or 403 for the seller's standing
 */
export async function requireSeller(services: Services, authorization: string | undefined): Promise<void> {
  const { seller_id, sid } = await services.tokens.verify(authorization);
  await services.withSeller(seller_id, 'read', (db) => db.run(READ_STANDING), {
    sid,
    onStanding: refuseStanding,
  });
}
