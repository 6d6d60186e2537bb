import type { Services } from '../../../platform/services.ts';
import { secretContext } from '../domain/secret-context.ts';
import {
  type EndpointRow,
  endpoints,
  endpointsAfter,
  findEndpoint,
  type OwnedEndpoint,
} from '../store/endpoints.ts';

const PAGE = 200;

type Resealing = Pick<Services, 'secrets' | 'withSystem'>;

const isStale = ({ secrets }: Resealing, { secret, retired_secrets }: EndpointRow): boolean =>
  [secret, ...retired_secrets.map((retired) => retired.secret)].some((sealed) => secrets.isStale(sealed));

/** Seals the secrets of one endpoint with the new key; for its seller nothing changes. */
async function resealOne(services: Resealing, { seller_id, endpoint_id }: OwnedEndpoint): Promise<void> {
  const { secrets, withSystem } = services;
  const context = secretContext(endpoint_id);
  const again = (sealed: string): string => secrets.seal(secrets.open(sealed, context), context);
  await withSystem('webhooks', 'write', async (db) => {
    const row = await findEndpoint({ db, seller_id }, endpoint_id, 'for no key update');
    if (row === undefined || !isStale(services, row)) return;
    const retired_secrets = row.retired_secrets.map(({ secret, until }) => ({
      secret: again(secret),
      until,
    }));
    await endpoints.replace({ db, seller_id }, { ...row, secret: again(row.secret), retired_secrets });
  });
}

/**
 * Seals secrets of older keys with the first key of SECRETS_KEY, so that the operator can remove the older keys.
 *
 * @returns the number of endpoints whose secrets were sealed again
 */
export async function resealSecrets(services: Resealing, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let after = ''; !signal.aborted; ) {
    const rows = await services.withSystem('webhooks', 'read', (db) => db.all(endpointsAfter(after, PAGE)));
    const stale = rows.filter((row) => isStale(services, row));
    for (const row of stale) await resealOne(services, row);
    count += stale.length;
    after = rows.at(-1)?.endpoint_id ?? '';
    if (rows.length < PAGE) break;
  }
  return count;
}
