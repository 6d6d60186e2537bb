/** Receives the payment provider's callbacks. `intake/provider-callbacks.ts` works them. */
import { createHash } from 'node:crypto';
import { invalid } from '../../../kernel/errors.ts';
import { MiB } from '../../../kernel/setting.ts';
import { findUnstorableText } from '../../../kernel/storable-text.ts';
import type { ScopeOptions } from '../../../platform/db/scope-settings.ts';
import { parseJsonBody } from '../../../platform/http/read-body.ts';
import { receiverRoute, refuseSignature } from '../../../platform/rest/receiver-route.ts';
import type { Services } from '../../../platform/services.ts';
import { STRIPE } from '../adapters/provider.ts';
import { isSigned, targetOf } from '../domain/callback.ts';
import { CALLBACK_JOB, CALLBACKS } from '../metrics.ts';
import { payoutSettings } from '../settings.ts';
import { type Decision, insertCallbacks, isAboutAnother, type NewCallback } from '../store/callbacks.ts';

export const CALLBACK_AREA = {
  name: 'payment-provider-callbacks',
  title: 'Payment-provider callback receiver',
};
/** In seconds; a later year has five digits. */
const YEAR_10000 = 253_402_300_800;
const LIVE_KEY = /^[a-z]{2}_live_/;

type Json = Readonly<Record<string, unknown>>;
const objectIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {});
const textIn = (from: Json, name: string): string | null => {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Seconds since 1970 as RFC 3339. A signed body may still have a number that is no instant. */
const instantOf = (seconds: unknown): string | undefined =>
  typeof seconds === 'number' && seconds >= 0 && seconds < YEAR_10000
    ? new Date(Math.floor(seconds) * 1_000).toISOString()
    : undefined;

/** @throws ApiError 422 `json_invalid` */
function readEvent(services: Services, bytes: Buffer): NewCallback {
  const event = objectIn(parseJsonBody(bytes));
  const [event_id, type] = [textIn(event, 'id'), textIn(event, 'type')];
  if (event_id === null || type === null || event['object'] !== 'event')
    throw invalid([
      { loc: ['body'], msg: 'The body is not an event with id, type and object.', type: 'json_invalid' },
    ]);
  const object = objectIn(objectIn(event['data'])['object']);
  const account = textIn(event, 'account');
  const target = targetOf(type);
  // The account itself is the object of its own events; a capability names it.
  const object_id = target === 'account' ? account : textIn(object, 'id');
  if (findUnstorableText([event_id, type, account, object_id]) !== undefined)
    throw invalid([{ loc: ['body'], msg: 'An id has a character that is none.', type: 'json_invalid' }]);
  const received_at = new Date(services.now()).toISOString();
  const livemode = event['livemode'] === true;
  const isLive = LIVE_KEY.test(payoutSettings.of(services.config).PAYMENT_PROVIDER_API_KEY ?? '');
  const decision: Decision | null =
    livemode !== isLive ? 'other_mode' : target === 'recorded' || target === 'unsupported' ? target : null;
  return {
    callback_id: services.ids.next('pcb_'),
    job_id: services.ids.next('job_'),
    provider: STRIPE.name,
    ...{ event_id, type, account, livemode, object_id },
    object_key: [target, account, object_id].join(' '),
    digest: createHash('sha256').update(bytes).digest(),
    created_at: instantOf(event['created']) ?? received_at,
    ...{ received_at, decision },
  };
}

async function storeCallbacks(
  services: Services,
  rows: readonly NewCallback[],
  limits: Pick<ScopeOptions, 'lockTimeoutMs'>,
): Promise<void> {
  const { withSystem, now, count } = services;
  const insert = insertCallbacks(rows, { kind: CALLBACK_JOB, now: now() });
  const stored = await withSystem('payment-callback', 'single', (db) => db.all(insert), limits);
  const isNew = new Set(stored.map(({ id }) => id));
  for (const row of rows) {
    if (isNew.has(row.callback_id)) {
      if (row.decision !== null) count(CALLBACKS, row.decision, 1);
      continue;
    }
    const isConflict = await withSystem('payment-callback', 'read', (db) => isAboutAnother(db, row));
    count(CALLBACKS, isConflict ? 'conflict' : 'duplicate', 1);
  }
}

export const callbackRoutes = [
  receiverRoute({
    id: 'payment_provider_callbacks.receive',
    summary: 'Receive a callback of the payment provider',
    description:
      'For the payment provider only, not for integrations of sellers. The callback is verified by its signature and stored; the service then asks the provider for the object.',
    area: CALLBACK_AREA,
    bytesMax: MiB,
    example: '{"id":"evt_1","object":"event","type":"account.updated","data":{"object":{}}}',
    isConfigured: (config) => payoutSettings.of(config).PAYMENT_PROVIDER === STRIPE.name,
    verify: (services, { bytes, values }) => {
      const { PAYMENT_PROVIDER_WEBHOOK_SECRETS: secrets } = payoutSettings.of(services.config);
      const [header, ...more] = values('stripe-signature');
      if (header === undefined || more.length > 0 || !isSigned(header, bytes, secrets, services.now()))
        refuseSignature();
      return readEvent(services, bytes);
    },
    store: storeCallbacks,
  }),
];
