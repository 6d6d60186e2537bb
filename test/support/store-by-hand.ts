/** A connected store without the store platform: tests of processes and of load send its deliveries themselves. */
import { signBody } from '../../demo/store-platform/sign.ts';

export const STORE_SECRET = 'store-secret-1';
export const STORE_SETTINGS = { STORE_PLATFORM_CLIENT_ID: 'app', STORE_PLATFORM_SECRETS: STORE_SECRET };

type Ask = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** Writes the channel of a seller as the store's consent would have made it. */
export async function connectByHand(ask: Ask, sellerId: string, shop: string): Promise<void> {
  const values = [sellerId, `chn_${shop.split('.', 1)[0]}`, shop];
  await ask(
    `insert into channel (seller_id, channel_id, platform, shop_domain, status, order_visibility, created_at, updated_at)
     values ($1, $2, 'shopify', $3, 'connected', true, '2026-07-01', '2026-07-01')`,
    values,
  );
  await ask(
    "insert into channel_shop (platform, shop_domain, seller_id, channel_id) values ('shopify', $3, $1, $2)",
    values,
  );
}

export interface Delivery {
  readonly webhookId: string;
  readonly topic: string;
  readonly body: string;
}

/** An order of a store, as it is sent. */
export const orderDelivery = (id: number): Omit<Delivery, 'webhookId'> => ({
  topic: 'orders/create',
  body: JSON.stringify({ id, line_items: [], updated_at: '2026-07-01T00:00:00Z' }),
});

/** Sends a delivery to a process of the service. @returns the status; 0 without an answer */
export async function sendDelivery(
  url: string,
  shop: string,
  { webhookId, topic, body }: Delivery,
): Promise<number> {
  try {
    const answer = await fetch(`${url}/api/v1/webhooks/shopify`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': shop,
        'x-shopify-webhook-id': webhookId,
        'x-shopify-hmac-sha256': signBody(STORE_SECRET, body),
      },
      body,
    });
    await answer.text();
    return answer.status;
  } catch {
    return 0;
  }
}
