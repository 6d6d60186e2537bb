/** Sellers of the largest plan, signed in. */
import { randomUUID } from 'node:crypto';
import type { Service } from './service.ts';
import { post, tell } from './tell.ts';

/** What a benchmark needs to act for sellers of a service. */
export type Target = Pick<Service, 'url' | 'internalUrl' | 'marketplace'>;

export interface Seller {
  readonly seller_id: string;
  readonly email: string;
  token: string;
}

async function register(service: Target, number: number): Promise<Seller> {
  const email = `bench-${randomUUID()}@example.com`;
  const { seller_id } = await post(
    `${service.url}/api/v1/auth/register`,
    {
      business_name: `Bench ${number}`,
      tax_id: randomUUID().replaceAll(/\D/g, '').padEnd(18, '7').slice(0, 18),
    },
    await service.marketplace.mint({ email }),
  );
  return { seller_id: String(seller_id), email, token: '' };
}

const standing = ({ seller_id }: Seller) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/bench',
  type: 'marketplace.seller.standing_changed',
  subject: seller_id,
  sellerid: seller_id,
  time: new Date().toISOString(),
  data: { plan: 'Big', verified: true, api_access: true },
});

/** Exchanges the sessions again: tokens live for 15 minutes, and a long benchmark takes longer. */
export async function signIn(service: Target, sellers: readonly Seller[]): Promise<void> {
  for (const seller of sellers) {
    const marketplace_token = await service.marketplace.mint({ email: seller.email });
    const { access_token } = await post(`${service.url}/api/v1/auth/exchange`, { marketplace_token });
    seller.token = String(access_token);
  }
}

export async function makeSellers(service: Target, count: number): Promise<Seller[]> {
  const sellers: Seller[] = [];
  for (let number = 0; number < count; number += 1) sellers.push(await register(service, number));
  await tell(service, sellers.map(standing));
  await signIn(service, sellers);
  return sellers;
}

/** Feeds a file and returns the counts of the run. */
export async function feed(service: Target, seller: Seller, file: Buffer): Promise<Record<string, number>> {
  const response = await fetch(`${service.url}/api/v1/products/feed-runs`, {
    method: 'POST',
    headers: {
      'content-type': 'text/csv',
      'idempotency-key': randomUUID(),
      authorization: `Bearer ${seller.token}`,
    },
    body: new Uint8Array(file),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`feed: ${response.status} ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { counts: Record<string, number> }).counts;
}
