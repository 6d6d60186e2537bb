/** Keeping the leases of the endpoints in hand, and giving them back. */
import { systemNow } from '../../../platform/db/clock.ts';
import type { Services } from '../../../platform/services.ts';
import { releaseLeases, renewLeases } from '../store/leases.ts';
import type { HeldEndpoint } from './held-endpoint.ts';
import { LEASE_MS } from './search.ts';

const RENEW_MS = 10_000;

/** Renews the leases that are to be; those of lost endpoints end. */
export async function renewLeasesOf(
  { withSystem }: Services,
  owner: string,
  held: Iterable<HeldEndpoint>,
): Promise<void> {
  const leasedUntil = systemNow() + LEASE_MS;
  const due = [...held].filter((one) => !one.lost && one.leasedUntil < leasedUntil - RENEW_MS);
  if (due.length === 0) return;
  const configs = due.map(({ config }) => config);
  const statement = renewLeases(owner, leasedUntil, configs);
  const renewed = await withSystem('webhooks', 'read', (db) => db.all(statement));
  const ids = new Set(renewed.map(({ endpoint_id }) => endpoint_id));
  for (const one of due) if (ids.has(one.config.endpoint_id)) one.leasedUntil = leasedUntil;
}

/**
 * Gives endpoints back, but for those that somebody is changing at this moment: the others do not wait for them.
 *
 * @returns the ids of those that are given back
 */
export async function giveBack(
  { withSystem }: Services,
  owner: string,
  endpoints: readonly HeldEndpoint[],
): Promise<string[]> {
  const configs = endpoints.map(({ config }) => config);
  const statement = releaseLeases(owner, configs);
  const released = await withSystem('webhooks', 'read', (db) => db.all(statement));
  return released.map(({ endpoint_id }) => endpoint_id);
}
