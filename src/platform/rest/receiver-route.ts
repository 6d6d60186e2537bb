/**
 * Declares receivers of callbacks from systems that sign what they send. A receiver limits the body, verifies its raw
 * bytes, stores it once, together with those that arrive at the same time, and answers 200. A job of its object
 * processes it later (`platform/jobs/callback-job.ts`). Source: docs/design/wire.md#callbacks.
 */
import Type from 'typebox';
import type { Config } from '../../config.ts';
import { coreErrors, defineErrors, fail } from '../../kernel/errors.ts';
import type { AnyRoute, RouteDef } from '../../kernel/route.ts';
import { gather } from '../db/gather.ts';
import type { ScopeOptions } from '../db/scope-settings.ts';
import { defineRoute, okJson } from '../http/define-route.ts';
import { collectBody } from '../http/read-body.ts';
import type { Services } from '../services.ts';

const errors = defineErrors({
  signature_invalid: {
    status: 401,
    detail:
      'The signature does not belong to these bytes; sign the raw body with the secret of this receiver.',
  },
  content_encoding_unsupported: { status: 415, detail: 'Send the body as it is, without Content-Encoding.' },
});

/** @throws ApiError 401 `signature_invalid` */
export const refuseSignature = (): never => {
  throw fail(errors.signature_invalid, { headers: { 'www-authenticate': 'Signature' } });
};

/** For so long a statement that senders share waits for a lock; afterwards each is stored alone. */
const SHARED_LOCK_MS = 250;

/** A body that was not read yet, as it arrived. */
export interface Callback {
  readonly bytes: Buffer;
  /** The values of a header, one for each time that it was sent. @param name in lower case */
  values(name: string): readonly string[];
}

interface ReceiverDef<V> extends Pick<RouteDef, 'id' | 'summary' | 'description'> {
  /** Name and title of the area, for the 404 while no sender is configured. */
  readonly area: { readonly name: string; readonly title: string };
  readonly bytesMax: number;
  readonly example: string;
  readonly isConfigured: (config: Config) => boolean;
  /**
   * Checks the raw bytes and reads what is stored of them. It is no transaction and must not wait.
   *
   * @throws ApiError 401 by `refuseSignature`, 422
   */
  readonly verify: (services: Services, callback: Callback) => V;
  /**
   * Stores what arrived at the same time, each once, by one statement (`insertWithJobs`).
   *
   * @param limits of its scope: a statement that several senders may share waits for no lock of one of them
   */
  readonly store: (
    services: Services,
    verified: readonly V[],
    limits: Pick<ScopeOptions, 'lockTimeoutMs'>,
  ) => Promise<void>;
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

const Received = Type.Object(
  { received: Type.Literal(true, { description: 'Always `true`' }) },
  { title: 'CallbackReceived', description: 'The callback is stored; nothing acknowledged is lost.' },
);

const Body = Type.Object(
  {},
  { title: 'Callback', description: 'What the sender documents.', additionalProperties: true },
);

/** Declares a receiver. A sender with a right signature is never refused by a rate limit. */
export function receiverRoute<V>(def: ReceiverDef<V>): AnyRoute {
  const { area, bytesMax, example, isConfigured, verify, store, ...route } = def;
  const storeOne = gather<Services, V, undefined>(async (services, all, alone) => {
    await store(services, all, alone ? {} : { lockTimeoutMs: SHARED_LOCK_MS });
    return [];
  });
  return defineRoute({
    ...route,
    method: 'POST',
    path: '',
    access: { auth: 'public', rate: 'public', counts: 'unsigned', idempotency: 'none' },
    tx: 'own',
    body: {
      kind: 'stream',
      contentTypes: ['application/json'],
      description: `The raw bytes that were signed, at most ${bytesMax} of them`,
      example,
      media: { 'application/json': { schema: Body, example: JSON.parse(example) } },
    },
    ok: okJson('Stored', Received, { received: true }),
    errors: [
      errors.signature_invalid,
      errors.content_encoding_unsupported,
      coreErrors.payload_too_large,
      coreErrors.module_unavailable,
    ],
    handler: async ({ services }, { headers, rawHeaders, stream }) => {
      if (!isConfigured(services.config))
        throw fail(coreErrors.module_unavailable, {
          detail: `${area.title} is not available: the operator has connected no sender.`,
          facts: { module: area.name, availability: 'configuration' },
        });
      const bytes = await collectBody(headers, stream, bytesMax);
      const encoding = valuesOf(rawHeaders, 'content-encoding');
      if (encoding.some((one) => one.toLowerCase() !== 'identity'))
        throw fail(errors.content_encoding_unsupported, { headers: { 'accept-encoding': 'identity' } });
      const verified = verify(services, { bytes, values: (name) => valuesOf(rawHeaders, name) });
      await storeOne(services, verified);
      services.jobs.wake();
      return { body: { received: true as const } };
    },
  });
}
