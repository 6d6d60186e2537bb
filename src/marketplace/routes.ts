import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { invalid } from '../kernel/errors.ts';
import type { AnyMarketplaceEvent } from '../kernel/events.ts';
import { parseInstant } from '../kernel/instant.ts';
import type { DueSource } from '../kernel/route.ts';
import type { ServiceClock } from '../platform/db/clock.ts';
import { WAIT_FOR_DISK } from '../platform/db/scope.ts';
import { readJsonBody } from '../platform/http/read-body.ts';
import { RequestLog } from '../platform/http/request-log.ts';
import { runBySeller } from '../platform/jobs/run-by-seller.ts';
import type { Metrics } from '../platform/log/metrics.ts';
import type { Services } from '../platform/services.ts';
import { type Envelope, readEnvelopes } from './envelope.ts';
import { describeEventTypes } from './event-types.ts';
import { BUSY, busy, createIntake, type EventResult } from './intake.ts';
import { createMoveClock } from './move-clock.ts';
import { readBalances } from './read-balances.ts';
import { readDocument } from './read-document.ts';
import { readOutbox } from './read-outbox.ts';
import { takeAttachment } from './take-attachment.ts';

/** Room for a thousand events with long texts. Reports of provider transactions are the largest. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;
const EVENT_TYPES = [
  'application/cloudevents+json',
  'application/cloudevents-batch+json',
  'application/json',
];
/** Longest move. A longer one is a typing mistake, and would run every daily job of the years between. */
const MOVE_MAX_MS = 20 * 366 * 86_400_000;

interface InternalAnswer {
  /** Default: JSON. */
  readonly type?: string;
  readonly payload: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface InternalRoute {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Whether the marketplace polls the route: see `polled` in platform/http/server.ts. */
  readonly polled?: boolean;
  readonly handler: (request: FastifyRequest) => Promise<InternalAnswer>;
}

interface InternalDeps {
  readonly config: Config;
  readonly services: Services;
  readonly clock: ServiceClock;
  readonly metrics: Metrics;
  readonly events: readonly AnyMarketplaceEvent[];
  /** Sources of due work, which a manual clock runs on its way. */
  readonly due: readonly DueSource[];
}

const json = (body: unknown): InternalAnswer => ({ payload: JSON.stringify(body) });

/** The routes of the internal listener. The route that moves the clock exists only with a manual clock. */
export function createRoutes(deps: InternalDeps): InternalRoute[] {
  const { config, clock, metrics, services } = deps;
  const types = json({ data: describeEventTypes(deps.events) });
  const routes: InternalRoute[] = [
    { id: 'internal.events.take', method: 'POST', path: '/internal/v1/events', handler: takeEvents(deps) },
    {
      id: 'internal.event_types.list',
      method: 'GET',
      path: '/internal/v1/event-types',
      handler: async () => types,
    },
    {
      id: 'internal.outbox.list',
      method: 'GET',
      path: '/internal/v1/outbox',
      polled: true,
      handler: async (request) => json(await readOutbox(services, request.query)),
    },
    {
      id: 'internal.ledger.balances.get',
      method: 'GET',
      path: '/internal/v1/ledger/balances',
      handler: async (request) => json(await readBalances(services, request.query)),
    },
    {
      id: 'internal.attachments.create',
      method: 'POST',
      path: '/internal/v1/attachments',
      handler: async (request) => json(await takeAttachment(services, request)),
    },
    {
      id: 'internal.attachments.get',
      method: 'GET',
      path: '/internal/v1/attachments/:attachment_id/content',
      handler: (request) => readDocument(services, request),
    },
    {
      id: 'internal.metrics.get',
      method: 'GET',
      path: '/metrics',
      handler: async () => ({ type: metrics.registry.contentType, payload: await metrics.render(services) }),
    },
  ];
  if (clock.manual && config.APP_ENV !== 'production') {
    routes.push({
      id: 'internal.clock.set',
      method: 'POST',
      path: '/internal/v1/clock',
      handler: setClock(deps),
    });
  }
  return routes;
}

type LaneOf = NonNullable<AnyMarketplaceEvent['laneOf']>;

interface Placed {
  readonly envelope: Envelope;
  readonly index: number;
  readonly seller_id: string | null;
  readonly lane: string | undefined;
}

/** Cuts a batch where events that name no seller begin and end: terms that one publishes hold for those after it. */
function inTurns(envelopes: readonly Envelope[], lanes: ReadonlyMap<string, LaneOf>): Placed[][] {
  const turns: Placed[][] = [];
  for (const [index, envelope] of envelopes.entries()) {
    const { seller_id, type } = envelope;
    const last = turns.at(-1);
    const lane = lanes.get(type)?.(envelope);
    const placed = { envelope, index, seller_id, lane };
    if (last !== undefined && (last[0]?.seller_id === null) === (seller_id === null)) last.push(placed);
    else turns.push([placed]);
  }
  return turns;
}

function takeEvents({ services, metrics, events }: InternalDeps): InternalRoute['handler'] {
  const take = createIntake(events);
  const known = new Set(events.map(({ type }) => type));
  const lanes = new Map(events.flatMap(({ type, laneOf }) => (laneOf === undefined ? [] : [[type, laneOf]])));
  return async (request) => {
    const { value } = await readJsonBody(request.raw, BODY_BYTES_MAX, EVENT_TYPES);
    const envelopes = readEnvelopes(value);
    const lazyCommit = envelopes.length > 1;
    const deps = { services, log: new RequestLog(request), requestId: request.id, lazyCommit };
    const results: EventResult[] = [];
    // Those after an event that found its data locked are not tried, so they need not wait too.
    const held = new Set<string | null>();
    for (const turn of inTurns(envelopes, lanes))
      await runBySeller(turn, async ({ envelope, index }) => {
        const about = envelope.seller_id ?? envelope.subject;
        const result = held.has(about) ? busy(envelope.id) : await take(deps, envelope);
        if (result.code === BUSY) held.add(about);
        metrics.countEvent(known.has(envelope.type) ? envelope.type : 'unknown', result.status);
        results[index] = result;
      });
    // A duplicate may be of a batch that still waits for the disk.
    const waits = lazyCommit || results.some(({ status }) => status === 'duplicate');
    if (waits) await services.withSystem('marketplace-event', 'write', (db) => db.run(WAIT_FOR_DISK));
    return json({ results });
  };
}

function setClock({ services, clock, due }: InternalDeps): InternalRoute['handler'] {
  const move = createMoveClock({ services, clock, due });
  return async (request) => {
    const { value } = await readJsonBody(request.raw, BODY_BYTES_MAX);
    return json(await move(readTarget(value, clock.now())));
  };
}

/** @throws ApiError 422 at `body.now`, or at an unknown key */
function readTarget(body: unknown, now: number): number {
  const { now: given, ...unknown }: Readonly<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const refuse = (msg: string, type: string) => invalid([{ loc: ['body', 'now'], msg, type, input: given }]);
  const extra = Object.keys(unknown).map((key) => ({
    loc: ['body', key],
    msg: 'This field is unknown; remove it.',
    type: 'extra_forbidden',
  }));
  if (extra.length > 0) throw invalid(extra);
  if (given === undefined) throw refuse('This field is required.', 'missing');
  const target = typeof given === 'string' ? parseInstant(given) : undefined;
  if (target === undefined) throw refuse('Must be an RFC 3339 instant.', 'format_invalid');
  if (target - now > MOVE_MAX_MS) throw refuse('A move of more than 20 years is refused.', 'less_than_equal');
  return target;
}
