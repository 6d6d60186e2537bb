/**
 * Decides about stored deliveries: one transaction has the effect and the decision. The store is asked before this
 * transaction, never inside. Source: docs/design/channels.md#decisions.
 */
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import { gather } from '../../../platform/db/gather.ts';
import { runAgain } from '../../../platform/jobs/define-job.ts';
import type { Services } from '../../../platform/services.ts';
import { SHOP_FACTS, type ShopFacts } from '../adapters/questions.ts';
import type { ItemFacts } from '../adapters/read-levels.ts';
import { readProduct } from '../adapters/read-products.ts';
import { isLeaving, isOpen } from '../domain/channel-machine.ts';
import { CUSTOMERS_REDACT, isPrivacyTopic, mayRepeat } from '../domain/read-delivery.ts';
import { CONNECTION_TOPICS, LEVEL_TOPICS, PRODUCT_TOPICS } from '../domain/topics.ts';
import { channelEvents } from '../events.ts';
import type { IssueFacts } from '../schemas/issue.ts';
import { type ChannelKey, type ChannelRow, channels } from '../store/channels.ts';
import {
  type DeliveryRow,
  deliveries,
  giveUp,
  type Outcome,
  type WaitingDelivery,
  waitingOf,
} from '../store/deliveries.ts';
import { deleteOrders } from '../store/orders.ts';
import { rememberBody, rememberInstead } from '../store/repeated-bodies.ts';
import { mayAskAbout } from './ask-budget.ts';
import { askStore, askWithToken, changeChannel, TokenRefused, UNAUTHORISED } from './ask-store.ts';
import { end } from './change-status.ts';
import { conclude, notApplied } from './conclude-delivery.ts';
import { askAboutLevel, decideLevel, isForStoreToSay, LATER } from './decide-level.ts';
import { decideLevels } from './decide-levels.ts';
import { decideOrder, decideOrders } from './decide-orders.ts';
import {
  ASK_PRODUCT,
  decideProduct,
  externalIdOf,
  type FoundProduct,
  hasChangedBack,
} from './decide-product.ts';
import { eraseChannel } from './erase-channel.ts';
import { LOOK_AGAIN_MS } from './follow-import.ts';
import { openIssue } from './issues.ts';
import { writeFacts } from './prepare-channel.ts';
import { NoToken } from './tokens.ts';

const DAY_MS = 86_400_000;
/** The same body within this time is a repetition, with any headers. */
const REPEAT_MS = 30 * DAY_MS;

/** The answer of the store to the query before the transaction. */
interface Asked {
  readonly facts?: ShopFacts;
  readonly item?: ItemFacts | undefined;
  readonly found?: FoundProduct;
  /** The sealed token that the store refuses; undefined: it takes the token. */
  readonly refused?: string | undefined;
}

const isOf =
  (topics: readonly string[]) =>
  ({ topic }: Pick<DeliveryRow, 'topic'>): boolean =>
    topics.includes(topic);
const isLevel = isOf(LEVEL_TOPICS);
const isProduct = isOf(PRODUCT_TOPICS);
/** Whether the store may have to be asked before the transaction. */
const mayAsk = isOf([...CONNECTION_TOPICS, ...LEVEL_TOPICS]);

/** The token that the store refuses; undefined if it takes it. The refusal changes nothing yet. */
async function refusedToken(
  services: Services,
  key: ChannelKey,
  row: ChannelRow,
): Promise<string | undefined> {
  try {
    await askWithToken(services, key, row.shop_domain, SHOP_FACTS);
    return undefined;
  } catch (error) {
    if (error instanceof NoToken && error.sealed !== null) return error.sealed;
    if (error instanceof TokenRefused && error.status === UNAUTHORISED) return error.sealed;
    throw error;
  }
}

/** Asks the store for facts that the delivery does not have. */
async function askBefore(
  services: Services,
  key: ChannelKey,
  row: ChannelRow,
  delivery: DeliveryRow,
): Promise<Asked | typeof LATER> {
  const { topic } = delivery;
  if (skipReason(row, topic) !== undefined) return {};
  if (isLevel(delivery)) {
    const item = await askAboutLevel(services, key, row, delivery);
    return item === LATER ? LATER : { item };
  }
  if (!mayAskAbout(services, key.channel_id, delivery.object_key)) return LATER;
  return topic === 'app/uninstalled'
    ? { refused: await refusedToken(services, key, row) }
    : { facts: await askStore<ShopFacts>(services, key, row, SHOP_FACTS) };
}

/** Why nothing about the delivery is looked at. */
function skipReason(row: ChannelRow, topic: string): Outcome | undefined {
  if (isPrivacyTopic(topic)) return undefined;
  if (!isOpen(row)) return { status: 'skipped', reason: 'channel_ended' };
  if (topic === 'app/uninstalled') return undefined;
  if (row.inbound === 'paused') return { status: 'skipped', reason: 'channel_paused' };
  if (topic.startsWith('orders/') && !row.order_visibility)
    return { status: 'skipped', reason: 'order_visibility_off' };
  return undefined;
}

async function obeyPrivacy(
  ctx: Acting,
  row: ChannelRow,
  { topic, body, delivery_id }: DeliveryRow,
): Promise<Outcome> {
  const { channel_id, shop_domain } = row;
  if (topic === 'customers/data_request') {
    const request = { delivery_id, channel_id, shop: shop_domain, received_at: ctx.at() };
    await ctx.emit(channelEvents.dataRequest.of(request, { object_id: delivery_id }));
    return { status: 'recorded' };
  }
  if (topic === CUSTOMERS_REDACT) {
    const { order_ids = [] } = (body ?? {}) as { readonly order_ids?: readonly string[] };
    return {
      status: 'recorded',
      decision: { deleted_orders: await deleteOrders(ctx, channel_id, order_ids) },
    };
  }
  // The tokens are needed until the app is removed. An authorisation that is open may end the channel again.
  if (isLeaving(row) || row.status === 'authorising')
    throw new Error('the service has not left the store yet');
  // Anybody with a delivery of the store could send its body under this topic.
  if (row.status !== 'ended') return { status: 'no_effect', reason: 'channel_not_ended' };
  return { status: 'recorded', decision: { deleted_orders: await eraseChannel(ctx, row) } };
}

/** The app was removed, if the store refuses the token that the channel has now. */
async function endIfRefused(ctx: Acting, row: ChannelRow, { refused }: Asked): Promise<Outcome> {
  if (refused === undefined) return { status: 'no_effect', reason: 'token_works' };
  if (row.access_sealed !== refused) throw new Error('the tokens were replaced while the store was asked');
  await end(ctx, row, 'revoked');
  return { status: 'applied', changes: [{ field: 'status', before: row.status, after: 'ended' }] };
}

async function outcomeOf(
  ctx: Acting,
  row: ChannelRow,
  delivery: DeliveryRow,
  asked: Asked,
): Promise<Outcome | typeof ASK_PRODUCT> {
  const { topic } = delivery;
  if (isPrivacyTopic(topic)) return obeyPrivacy(ctx, row, delivery);
  if (topic === 'app/uninstalled') return endIfRefused(ctx, row, asked);
  if (topic.startsWith('orders/')) return decideOrder(ctx, row.channel_id, delivery);
  if (isLevel(delivery)) return decideLevel(ctx, row, delivery, asked.item);
  if (isProduct(delivery)) return decideProduct(ctx, row, delivery, asked.found);
  const changes = asked.facts === undefined ? [] : await writeFacts(ctx, row, asked.facts);
  return { status: changes.length > 0 ? 'applied' : 'no_effect', changes };
}

/**
 * A body that was sent before is a repetition, unless it was not applied then; one of another channel belongs there.
 */
async function repetition(ctx: Acting, row: ChannelRow, delivery: DeliveryRow): Promise<Outcome | undefined> {
  if (mayRepeat(delivery.topic) || delivery.origin === 'sweep') return undefined;
  const since = new Date(ctx.now() - REPEAT_MS).toISOString();
  const before = await rememberBody(ctx.db, delivery, ctx.at(), since);
  if (before === undefined) return undefined;
  // The id of another seller's delivery is not shown. A topic of privacy law has one id in all channels.
  if (before.channel_id !== delivery.channel_id && !isPrivacyTopic(delivery.topic))
    return { status: 'foreign', reason: 'same_body_elsewhere' };
  // Within one second an object may change and change back.
  if (isLevel(delivery) && (await isForStoreToSay(ctx, delivery))) return undefined;
  if (isProduct(delivery) && (await hasChangedBack(ctx, row, delivery))) return undefined;
  const { delivery_id } = before;
  if (['skipped', 'failed'].includes((await deliveries.find(ctx, { delivery_id }))?.status ?? '')) {
    await ctx.db.run(rememberInstead(delivery));
    return undefined;
  }
  return {
    status: 'duplicate',
    reason: 'same_body',
    decision: { repeats_delivery_id: before.delivery_id },
  };
}

/** @returns whether it waits, for the end of an import or because the store was asked often */
async function decideOne(services: Services, waiting: WaitingDelivery): Promise<boolean> {
  const { seller_id, delivery_id, channel_id } = waiting;
  const key = { seller_id, channel_id };
  const decideWith = (asked: Asked) =>
    changeChannel<string | undefined, DeliveryRow>(
      services,
      key,
      async (ctx, now, delivery) => {
        if (delivery?.status !== 'received') return undefined;
        const outcome =
          (await repetition(ctx, now, delivery)) ??
          skipReason(now, delivery.topic) ??
          (await outcomeOf(ctx, now, delivery, asked));
        if (outcome === ASK_PRODUCT) return externalIdOf(delivery);
        await conclude(ctx, delivery, outcome);
        return undefined;
      },
      {
        correlation: { request_id: null, idempotency_key: null, delivery_id },
        // It is sent together with the lock of the channel.
        first: (ctx) => deliveries.find(ctx, { delivery_id }, 'for update'),
        // The statements about a product may have thousands of variants.
        lookUp: !isProduct(waiting),
      },
    );
  const read = () =>
    services.withSellerLong(seller_id, 'read', async (db) => {
      const at = { db, seller_id };
      return [await channels.find(at, { channel_id }), await deliveries.find(at, { delivery_id })] as const;
    });
  const [row, waits] = mayAsk(waiting) ? await read() : [];
  const asked = row && waits?.status === 'received' ? await askBefore(services, key, row, waits) : {};
  if (asked === LATER) return true;
  const wanted = await decideWith(asked);
  if (wanted === undefined) return false;
  // The transaction that needs the store's answer has ended; the next one decides with it.
  const [channel] = await read();
  if (channel === undefined) return false;
  if (!mayAskAbout(services, channel_id, `product:${wanted}`)) return true;
  const product = await readProduct((question) => askStore(services, key, channel, question), wanted);
  await decideWith({ found: { product } });
  return false;
}

const objectOf = (key: string) => {
  const at = key.indexOf('/');
  return { shop: key.slice(0, at), object_key: key.slice(at + 1) };
};

/** The waiting deliveries of one object. Jobs that begin at the same time share a query. */
const waitingFor = gather<Services, string, readonly WaitingDelivery[]>(async (services, keys) => {
  const find = waitingOf(keys.map(objectOf));
  const all = await services.withSystemLong('channels', 'read', (db) => db.all(find), { lookUp: true });
  return keys.map((_, index) => all.filter(({ number }) => number === index + 1));
});

/** Deliveries of which many of one store are decided in one transaction. */
const TOGETHER = [
  { has: ({ topic }: WaitingDelivery) => topic.startsWith('orders/'), decide: decideOrders },
  { has: ({ topic }: WaitingDelivery) => topic === 'inventory_levels/update', decide: decideLevels },
];

/**
 * Decides about others of the same store together with the first delivery of an object. Their jobs are ended, too. If a
 * batch fails, each is decided by itself.
 */
async function decideTogether(
  services: Services,
  first: WaitingDelivery | undefined,
  from: string,
): Promise<ReadonlySet<string>> {
  const found = first && TOGETHER.find(({ has }) => has(first));
  if (first === undefined || found === undefined) return new Set();
  const { seller_id, channel_id, topic } = first;
  const since = new Date(services.now() - REPEAT_MS).toISOString();
  const isTaken = (row: ChannelRow): boolean => skipReason(row, topic) === undefined;
  try {
    return await found.decide(services, { seller_id, channel_id }, { from, since, isTaken });
  } catch (error) {
    services.log.warn({ err: error, channel_id, topic }, 'deliveries are decided one by one');
    return new Set();
  }
}

/**
 * Decides about all waiting deliveries of one object.
 *
 * @returns when to be called again, because some wait for the end of an import, or to ask the store
 * @throws to be called again later
 */
export async function decideAll(services: Services, key: string, signal: AbortSignal) {
  const waiting = await waitingFor(services, key);
  const decided = await decideTogether(services, waiting[0], objectOf(key).object_key);
  let isLeft = false;
  for (const one of waiting.filter(({ delivery_id }) => !decided.has(delivery_id))) {
    if (signal.aborted) throw new Error('the worker stops');
    if (await decideOne(services, one)) isLeft = true;
  }
  return isLeft ? runAgain(services, LOOK_AGAIN_MS) : undefined;
}

/** What an issue about a delivery says that was given up. With the id of a product the service can ask for it again. */
function gaveUp(objectKey: string): IssueFacts {
  const [of, id = ''] = objectKey.split(':');
  const detail = `What the store sent about ${objectKey} could not be decided for 24 hours.`;
  return { code: 'gave_up', detail, ...(of === 'product' && { external_product_id: id }) };
}

/** @returns the number of deliveries that still wait */
export async function failOld(services: Services, key: string, until: string): Promise<number> {
  const object = objectOf(key);
  const { shop, object_key: objectKey } = object;
  const at = new Date(services.now()).toISOString();
  return services.withSystemLong('channels', 'write', async (db) => {
    for (const { seller_id, channel_id } of await db.all(giveUp(shop, objectKey, until, at))) {
      const ctx = acting(services, { db, seller_id, by: { kind: 'channel', id: channel_id } });
      await openIssue(ctx, notApplied(channel_id, objectKey), gaveUp(objectKey));
    }
    return (await db.all(waitingOf([object]))).length;
  });
}
