/** What handlers may need besides their own transaction: pools, clock, jobs, keys. app.ts builds it once. */
import type { Config } from '../config.ts';
import type { Clock, Logger, SellerCtx } from '../kernel/context.ts';
import type { Cursors } from '../kernel/cursor.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Count, ModuleDef } from '../kernel/route.ts';
import type { MarketplaceTokens } from './crypto/marketplace-tokens.ts';
import type { Secrets } from './crypto/secrets.ts';
import type { ServiceTokens } from './crypto/service-tokens.ts';
import type { SellerStream, WithSeller, WithSystem } from './db/scope.ts';
import type { Files } from './files/files.ts';
import type { Jobs } from './jobs/job.ts';
import type { Lanes } from './jobs/lanes.ts';
import type { CheckEvents } from './outbox/check-events.ts';
import type { EventWaiters } from './outbox/event-waiters.ts';
import type { FillEvents } from './outbox/fill-events.ts';
import type { Tracer } from './trace/tracer.ts';

export interface Services {
  readonly config: Config;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Short statements of requests. */
  readonly withSeller: WithSeller;
  readonly withSystem: WithSystem;
  /** The same for long work (feeds, exports, jobs), with a pool of its own. */
  readonly withSellerLong: WithSeller;
  readonly withSystemLong: WithSystem;
  readonly sellerStream: SellerStream;
  readonly cursors: Cursors;
  /** The modules of the service, for the routes that describe or count them. */
  readonly modules: readonly ModuleDef[];
  /** In development and tests. */
  readonly checkEvents: CheckEvents | undefined;
  /** Loads the objects of events that were written without them. */
  readonly fillEvents: FillEvents;
  /** Wakes requests that wait for events. */
  readonly waiters: EventWaiters;
  readonly files: Files;
  readonly jobs: Jobs;
  /** Lets feed runs begin: one at a time for each seller, and never on all connections of the long pool. */
  readonly feedLanes: Lanes;
  /** The service's own tokens. */
  readonly tokens: ServiceTokens;
  /** Verifier of marketplace sessions. */
  readonly marketplaceTokens: MarketplaceTokens;
  /** Encryption of secrets that are stored. */
  readonly secrets: Secrets;
  /** Counts for the metrics. */
  readonly count: Count;
  readonly tracer: Tracer;
}

/** The services in every handler's context. */
export interface WithServices {
  readonly services: Services;
}

/** The context of the handlers of a seller's routes. */
export type HandlerCtx = SellerCtx & WithServices;
