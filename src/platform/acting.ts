/** Builds the context for all changes of a seller's data. Source: docs/adr/0021-one-acting-context.md. */
import type { Acting, Actor, AuditNote, Correlation, CursorDb } from '../kernel/context.ts';
import { appendEvents } from './outbox/append.ts';
import type { Services } from './services.ts';

const SYSTEM: Actor = { kind: 'system', id: null };
export const MARKETPLACE: Actor = { kind: 'marketplace', id: null };

/** The seller, the transaction, the actor and the cause of a change. */
interface ActingFor {
  readonly db: CursorDb;
  readonly seller_id: string;
  /** Default: the system. */
  readonly by?: Actor;
  readonly correlation?: Correlation;
  readonly cause?: string | null;
  /** Takes notes for the activity log. Default: the work leaves no entry. */
  readonly audit?: (note: AuditNote) => void;
}

const ignore = (): void => undefined;

const NO_REQUEST: Correlation = { request_id: null, idempotency_key: null };

type ActingServices = Pick<Services, 'now' | 'ids' | 'config' | 'jobs' | 'checkEvents' | 'secrets'>;

/** The context of a job, of an event of the marketplace, or of a test. For a request the mount adds further fields. */
export function acting(services: ActingServices, init: ActingFor): Acting {
  const { now, ids, config, jobs, checkEvents, secrets } = services;
  const { db, seller_id, by = SYSTEM, correlation = NO_REQUEST, cause = null, audit = ignore } = init;
  return {
    db,
    seller_id,
    by,
    now,
    at: () => new Date(now()).toISOString(),
    ids,
    config,
    jobs: {
      add: async (job) => jobs.addLater(db, { ...job, sellerId: seller_id }),
      cancel: (kind, uniqueKey) => jobs.cancel(db, kind, uniqueKey),
    },
    correlation,
    cause,
    emit: (...events) => {
      checkEvents?.(events);
      return appendEvents(db, { sellerId: seller_id, ids, now: now(), correlation }, events);
    },
    digests: secrets.digests,
    audit,
    in: (other) => acting(services, { ...init, db: other }),
  };
}
