/** Handles on the outside world that handlers may need beyond their own transaction. Built once by app.ts. */
import type { Config } from '../config.ts';
import type { Clock, Logger } from '../kernel/context.ts';
import type { Cursors } from '../kernel/cursor.ts';
import type { Ids } from '../kernel/ids.ts';
import type { ModuleDef } from '../kernel/route.ts';
import type { MarketplaceTokens } from './crypto/marketplace-tokens.ts';
import type { Secrets } from './crypto/secrets.ts';
import type { ServiceTokens } from './crypto/service-tokens.ts';
import type { SellerStream, WithSeller, WithSystem } from './db/scope.ts';
import type { Files } from './files/files.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Lanes } from './jobs/lanes.ts';
import type { CheckEvents } from './outbox/check-events.ts';
import type { EventWaiters } from './outbox/event-waiters.ts';
import type { FillEvents } from './outbox/fill-events.ts';

export interface Services {
  readonly config: Config;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Short statements of requests. */
  readonly withSeller: WithSeller;
  readonly withSystem: WithSystem;
  /** The same on the pool for long work: feeds, exports, jobs. */
  readonly longSeller: WithSeller;
  readonly longSystem: WithSystem;
  readonly sellerStream: SellerStream;
  readonly cursors: Cursors;
  /** The areas of the service, for what describes or counts them. */
  readonly modules: readonly ModuleDef[];
  /** Outside production. */
  readonly checkEvents: CheckEvents | undefined;
  /** What events show that were written without their objects. */
  readonly fillEvents: FillEvents;
  /** For those who wait for events. */
  readonly waiters: EventWaiters;
  readonly files: Files;
  readonly jobs: Jobs;
  /** Turns of feed runs: one of a seller at a time, and never all connections for long work. */
  readonly feedLanes: Lanes;
  /** The service's own tokens. */
  readonly tokens: ServiceTokens;
  /** Verifier of marketplace sessions. */
  readonly marketplaceTokens: MarketplaceTokens;
  /** Encryption of secrets that are stored. */
  readonly secrets: Secrets;
}

/** The services in every handler's context. */
export interface WithServices {
  readonly services: Services;
}
