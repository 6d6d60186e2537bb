/**
 * Completes an authorisation when the browser comes back from the store. The checks have one order, and the first
 * failure ends the authorisation. Source: docs/design/channels.md#callback.
 */
import type { Acting } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { permissionsOf } from '../../../kernel/permissions.ts';
import { acting } from '../../../platform/acting.ts';
import { recordActivity } from '../../../platform/audit/record-activity.ts';
import type { Services } from '../../../platform/services.ts';
import { findChannelRun } from '../../products/index.ts';
import { exchangeCode, type GivenTokens } from '../adapters/ask-tokens.ts';
import { isSignedQuery } from '../domain/signatures.ts';
import { scopesOf } from '../domain/topics.ts';
import { type StorePlatform, storePlatformOf } from '../settings.ts';
import { type Authorisation, rolesOf, useAuthorisation } from '../store/authorisations.ts';
import { type ChannelRow, channels, claimShop } from '../store/channels.ts';
import { followAgain } from './apply-levels.ts';
import { changeChannel } from './ask-store.ts';
import { end, repair } from './change-status.ts';
import { leaveWith } from './disconnect.ts';
import { beginImport } from './import-store.ts';
import { planJob } from './plan-job.ts';
import { PREPARE_JOB } from './prepare-channel.ts';
import { releaseTokens, takeTokens, tokenColumns } from './tokens.ts';

/** The largest difference between the store's clock and the service's. */
const CLOCK_TOLERANCE_SECONDS = 90;

/** Why an authorisation failed, as the page and the return address say it. */
type CallbackCode =
  | 'parameters_invalid'
  | 'signature_invalid'
  | 'expired'
  | 'state_unknown'
  | 'browser_mismatch'
  | 'shop_mismatch'
  | 'not_allowed'
  | 'denied'
  | 'exchange_failed'
  | 'scopes_missing'
  | 'shop_connected_elsewhere';

interface CallbackOutcome {
  readonly code: CallbackCode | null;
  /** Set after the state was found. */
  readonly channel_id: string | undefined;
  readonly return_url: string | null;
}

type Parameters = Readonly<Record<string, string>>;

/** The parameters; undefined if one occurs twice. */
function parametersOf(search: string): Parameters | undefined {
  const all = [...new URLSearchParams(search)];
  return new Set(all.map(([name]) => name)).size === all.length ? Object.fromEntries(all) : undefined;
}

/** The checks that need no database. */
function refusalOf(
  { secrets }: StorePlatform,
  parameters: Parameters | undefined,
  now: number,
): CallbackCode | undefined {
  if (parameters === undefined) return 'parameters_invalid';
  if (!isSignedQuery(secrets, parameters)) return 'signature_invalid';
  const { timestamp = '' } = parameters;
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NEGATIVE_INFINITY;
  return Math.abs(now / 1_000 - seconds) > CLOCK_TOLERANCE_SECONDS ? 'expired' : undefined;
}

/** Whether the member who began may still connect stores, for a seller in good standing. */
async function mayConnect(services: Services, { seller_id, member_id }: Authorisation): Promise<boolean> {
  const row = await services.withSystem('connect-store', 'read', (db) => rolesOf(db, seller_id, member_id));
  return row !== undefined && permissionsOf(row.roles).includes('settings:write');
}

/** The checks of an authorisation that was found by its state, and of its browser. */
async function refusalOfState(
  services: Services,
  found: Authorisation,
  parameters: Parameters,
  cookie: string | undefined,
): Promise<CallbackCode | undefined> {
  if (cookie === undefined || found.browser_hash !== sha256Hex(cookie)) return 'browser_mismatch';
  if (parameters['shop'] !== found.shop_domain) return 'shop_mismatch';
  if (!(await mayConnect(services, found))) return 'not_allowed';
  return parameters['code'] === undefined ? 'denied' : undefined;
}

/** Writes the result into the seller's activity log, in the transaction of its effect. */
const log = (
  ctx: Acting,
  { member_id, channel_id }: Authorisation,
  code: CallbackCode | undefined,
): Promise<void> =>
  recordActivity(ctx, {
    actor_kind: 'member',
    actor_id: member_id,
    action: 'channels.authorisations.exchange',
    ...{ target_type: 'channel', target_id: channel_id },
    ...(code === undefined ? { result: 'done' } : { result: 'refused', code }),
  });

/**
 * Connects a store, and begins the preview of its import. A store that was connected before has sent no levels meanwhile,
 * so it is asked for them; its content waits for the import or the next sweep, which begins where the last one ended.
 */
async function start(ctx: Acting, row: ChannelRow, columns: Partial<ChannelRow>): Promise<void> {
  const at = ctx.at();
  const isFirst = row.connected_at === null;
  const sweeps = {
    connected_at: at,
    deactivating: false,
    ...(isFirst ? { watermark: at, swept_whole_at: at } : { connections: row.connections + 1 }),
  };
  const channel = await repair(ctx, row, { ...columns, ...sweeps });
  if (!isFirst) await followAgain(ctx, row.channel_id);
  if ((await findChannelRun(ctx, row.channel_id)) === undefined) await beginImport(ctx, channel, true);
}

/** The channel takes the store, so that no other channel can exchange a code for it. @returns the code of a failure */
const take = (services: Services, found: Authorisation): Promise<CallbackCode | undefined> =>
  services.withSystem('connect-store', 'write', async (db) => {
    const { seller_id, channel_id, shop_domain } = found;
    const row = await channels.find({ db, seller_id }, { channel_id }, 'for no key update');
    // The channel was disconnected while the browser was at the store.
    if (row === undefined || row.status === 'ended') return 'state_unknown';
    return (await claimShop(db, shop_domain, found)) ? undefined : 'shop_connected_elsewhere';
  });

/** Stores the tokens, so that the store is connected. @returns the code of a failure */
function store(
  services: Services,
  found: Authorisation,
  given: GivenTokens,
): Promise<CallbackCode | undefined> {
  const { seller_id, channel_id, order_visibility, member_id } = found;
  return services.withSystem('connect-store', 'write', async (db) => {
    const ctx = acting(services, { db, seller_id, by: { kind: 'member', id: member_id } });
    const row = await channels.find(ctx, { channel_id }, 'for no key update');
    if (row === undefined) return 'state_unknown';
    const columns = { ...tokenColumns(services, channel_id, given), order_visibility };
    // The channel was disconnected during the exchange.
    if (row.status === 'ended') {
      await leaveWith(ctx, row, columns);
      return 'state_unknown';
    }
    if (row.status === 'authorising') await start(ctx, row, columns);
    else await repair(ctx, row, columns, 'reauthorised');
    await log(ctx, found, undefined);
    await planJob(ctx, PREPARE_JOB, channel_id);
    return undefined;
  });
}

/** Exchanges the code. Whatever tokens the store gave before end with that, so no refresh runs at the same time. */
async function exchange(
  services: Services,
  platform: StorePlatform,
  found: Authorisation,
  code: string,
): Promise<CallbackCode | undefined> {
  let given: GivenTokens;
  try {
    given = await exchangeCode(platform, found.shop_domain, code);
  } catch (error) {
    services.log.warn({ err: (error as Error).name }, 'the store gives no tokens');
    return 'exchange_failed';
  }
  const granted = given.scopes ?? [];
  if (!scopesOf(found).every((scope) => granted.includes(scope))) return 'scopes_missing';
  return store(services, found, given);
}

async function connectStore(
  services: Services,
  platform: StorePlatform,
  found: Authorisation,
  code: string,
): Promise<CallbackCode | undefined> {
  const refusal = await take(services, found);
  if (refusal !== undefined) return refusal;
  let leased = await takeTokens(services, found);
  while (leased === undefined) leased = await takeTokens(services, found);
  try {
    return await exchange(services, platform, found, code);
  } finally {
    await releaseTokens(services, found, leased);
  }
}

/** Ends a channel that was never connected. A connected channel does not change. */
const abandon = (services: Services, found: Authorisation, code: CallbackCode): Promise<unknown> =>
  changeChannel(services, found, async (ctx: Acting, row) => {
    await log(ctx, found, code);
    if (row.status === 'authorising') await end(ctx, row, 'abandoned');
  });

/**
 * Completes an authorisation.
 *
 * @param search the query of the callback as it came
 * @param cookie of the browser that began the authorisation
 */
export async function completeAuthorisation(
  services: Services,
  search: string,
  cookie: string | undefined,
): Promise<CallbackOutcome> {
  const platform = storePlatformOf(services.config);
  const parameters = parametersOf(search);
  const early = refusalOf(platform, parameters, services.now());
  const nowhere = { channel_id: undefined, return_url: null };
  if (early !== undefined || parameters === undefined) return { code: early ?? null, ...nowhere };
  const at = new Date(services.now()).toISOString();
  const found = await services.withSystem('connect-store', 'single', (db) =>
    useAuthorisation(db, sha256Hex(parameters['state'] ?? ''), at),
  );
  if (found === undefined) return { code: 'state_unknown', ...nowhere };
  const refusal =
    (await refusalOfState(services, found, parameters, cookie)) ??
    (await connectStore(services, platform, found, parameters['code'] ?? ''));
  if (refusal !== undefined) await abandon(services, found, refusal);
  const { channel_id, return_url } = found;
  return { code: refusal ?? null, channel_id, return_url };
}
