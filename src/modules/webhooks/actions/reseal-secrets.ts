import type { Services } from '../../../platform/services.ts';
import { secretContext } from '../domain/secret-context.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import { endpointsAfter, lockEndpoint, writeEndpoint } from '../store/endpoints.ts';

const PAGE = 200;

type Resealing = Pick<Services, 'secrets' | 'withSystem'>;

const isStale = ({ secrets }: Resealing, { secret, retired_secrets }: EndpointRow): boolean =>
  [secret, ...retired_secrets.map((retired) => retired.secret)].some((sealed) => secrets.isStale(sealed));

/** Seals the secrets of one endpoint anew; for its seller nothing changes. */
async function resealOne(services: Resealing, { seller_id, endpoint_id }: EndpointRow): Promise<void> {
  const { secrets, withSystem } = services;
  const context = secretContext(endpoint_id);
  const anew = (sealed: string): string => secrets.seal(secrets.open(sealed, context), context);
  await withSystem('webhooks', 'write', async (db) => {
    const row = await lockEndpoint(db, seller_id, endpoint_id);
    if (row === undefined || !isStale(services, row)) return;
    const retired_secrets = row.retired_secrets.map(({ secret, until }) => ({ secret: anew(secret), until }));
    await writeEndpoint(db, { ...row, secret: anew(row.secret), retired_secrets });
  });
}

/**
 * Seals with the first key of SECRETS_KEY what another one has sealed, so that the other one can be dropped.
 *
 * @returns how many endpoints that concerned
 */
export async function resealSecrets(services: Resealing, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let after = ''; !signal.aborted; ) {
    const rows = await services.withSystem('webhooks', 'read', (db) => endpointsAfter(db, after, PAGE));
    const stale = rows.filter((row) => isStale(services, row));
    for (const row of stale) await resealOne(services, row);
    count += stale.length;
    after = rows.at(-1)?.endpoint_id ?? '';
    if (rows.length < PAGE) break;
  }
  return count;
}
