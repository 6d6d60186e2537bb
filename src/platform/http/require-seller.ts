import type { Services } from '../services.ts';
import { refuseStanding } from './authenticate.ts';

/** Nothing is asked of the database but whether the seller may still use the API. */
export const NOTHING = { text: 'select 1', values: [] } as const;

/**
 * Refuses whoever is not signed in as a seller that may use the API.
 *
 * @throws ApiError 401, or 403 for the seller's standing
 */
export async function requireSeller(services: Services, authorization: string | undefined): Promise<void> {
  const { seller_id, sid } = await services.tokens.verify(authorization);
  await services.withSeller(seller_id, 'read', (db) => db.run(NOTHING), { sid, onStanding: refuseStanding });
}
