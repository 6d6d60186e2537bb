/** The receiver of deliveries from stores. */
import { hash } from 'node:crypto';
import { invalid } from '../../../kernel/errors.ts';
import { MiB } from '../../../kernel/setting.ts';
import { type Callback, receiverRoute, refuseSignature } from '../../../platform/rest/receiver-route.ts';
import { isPrivacyTopic, readDelivery } from '../domain/read-delivery.ts';
import { instantOf, notAhead } from '../domain/read-values.ts';
import { isShopDomain } from '../domain/shop-domain.ts';
import { isSignedBody } from '../domain/signatures.ts';
import { deliveryCounter } from '../metrics.ts';
import { channelSettings } from '../settings.ts';
import { type NewDelivery, storeDeliveries } from '../store/arrived-deliveries.ts';

const BYTES_MAX = 10 * MiB;
const HEADER_CHARS_MAX = 255;
const AREA = { name: 'store-platform-webhooks', title: 'Store-platform webhook receiver' };

/** The one value of a header; undefined if it is missing, doubled or too long to be one. */
function only({ values }: Callback, name: string): string | undefined {
  const [value = '', ...more] = values(name);
  return more.length === 0 && value !== '' && value.length <= HEADER_CHARS_MAX ? value : undefined;
}

const REQUIRED = ['x-shopify-topic', 'x-shopify-shop-domain', 'x-shopify-webhook-id'] as const;

/** @throws ApiError 422 for each header that is missing */
function requireHeaders(callback: Callback): readonly string[] {
  const given = REQUIRED.map((name) => [name, only(callback, name)] as const);
  const missing = given.filter(([, value]) => value === undefined);
  if (missing.length > 0)
    throw invalid(
      missing.map(([name]) => ({
        loc: ['header', name],
        msg: 'Send this header once, with a value.',
        type: 'missing',
      })),
    );
  return given.map(([, value = '']) => value);
}

export const receiverRoutes = [
  receiverRoute<NewDelivery>({
    id: 'store_platform_webhooks.deliveries.receive',
    summary: 'Receive what a connected store sends',
    description:
      'For stores only. The signature covers the raw body (`X-Shopify-Hmac-Sha256`). Every delivery of a connected store is stored once, and `GET /channels/deliveries` shows what became of it; one of another store is acknowledged and dropped.',
    area: AREA,
    bytesMax: BYTES_MAX,
    example: '{"id":24826418,"name":"Sydney","active":true}',
    isConfigured: (config) => channelSettings.of(config).STORE_PLATFORM_CLIENT_ID !== undefined,
    verify: ({ config, ids, now }, callback) => {
      const { STORE_PLATFORM_SECRETS: secrets } = channelSettings.of(config);
      const signatures = callback.values('x-shopify-hmac-sha256');
      if (signatures.length !== 1 || !isSignedBody(secrets, callback.bytes, signatures[0])) refuseSignature();
      const [topic = '', shop = '', webhook_id = ''] = requireHeaders(callback);
      const received = now();
      const at = new Date(received).toISOString();
      const reading = readDelivery(topic, shop, callback.bytes, received);
      const triggered_at = instantOf(only(callback, 'x-shopify-triggered-at'));
      return {
        ...reading,
        ...{ delivery_id: ids.next('cdl_'), job_id: ids.next('job_'), shop, topic, webhook_id },
        received_at: at,
        event_id: only(callback, 'x-shopify-event-id') ?? null,
        triggered_at: triggered_at && notAhead(triggered_at, received),
        body_sha256: hash('sha256', callback.bytes, 'hex'),
        processed_at: reading.status === 'received' ? null : at,
      };
    },
    store: async ({ withSystem, now, count }, arrived, limits) => {
      const isForAll = ({ topic }: NewDelivery): boolean => isPrivacyTopic(topic);
      const stored = new Set<string>();
      for (const all of [true, false]) {
        const rows = arrived.filter((one) => isShopDomain(one.shop) && isForAll(one) === all);
        if (rows.length === 0) continue;
        const store = storeDeliveries(rows, all, now());
        const ids = await withSystem('channels', 'single', (db) => db.all(store), limits);
        for (const { id } of ids) stored.add(id);
      }
      if (stored.size > 0) count(deliveryCounter, 'stored', stored.size);
      if (stored.size < arrived.length) count(deliveryCounter, 'dropped', arrived.length - stored.size);
    },
  }),
];
