/** What a handler is given. Passed, never imported: nothing here is global. */
import type { Ids } from './ids.ts';
import type { Permission, Role } from './permissions.ts';
import type { Plan } from './plans.ts';

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The service's clock: milliseconds since the epoch. Rules token lifetimes, deadlines and every `…_at`. */
export type Clock = () => number;

/** One SQL statement: text, and the values of its parameters. */
export interface Statement<Row> {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Only carries the row type; never set. */
  readonly __row?: Row;
}

/** A database handle whose every statement runs inside one seller's scope, or the system's. */
export interface Db {
  all<Row>(statement: Statement<Row>): Promise<Row[]>;
  one<Row>(statement: Statement<Row>): Promise<Row | undefined>;
  /** Number of rows the statement changed. */
  run(statement: Statement<unknown>): Promise<number>;
}

/** A handle inside a transaction, from which large results are read in batches. */
export interface CursorDb extends Db {
  /** Rows in batches from a server-side cursor; only in a `snapshot` or `write` transaction. */
  cursor<Row>(statement: Statement<Row>, batchSize: number): AsyncGenerator<Row[]>;
}

export type SellerStatus = 'active' | 'suspended' | 'closed';

/** The seller as it stands now (not as it stood when the token was issued). */
export interface Standing {
  readonly status: SellerStatus;
  readonly verified: boolean;
  readonly api_access: boolean;
  readonly plan: Plan;
  readonly account_flags: readonly string[];
  readonly currency: string;
}

export interface SellerPrincipal {
  readonly seller_id: string;
  readonly member_id: string;
  /** The session that the token belongs to; revoking it ends the token. */
  readonly sid: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly Permission[];
  /** Instants in seconds, as the token has them. */
  readonly issued_at: number;
  readonly expires_at: number;
  /** Identifier of the signing key. */
  readonly kid: string;
}

/** The bearer of a marketplace session, as its verified token says. */
export interface MarketplaceIdentity {
  /** UUID in lower case. */
  readonly subject: string;
  readonly email: string | null;
  readonly session_id: string | null;
  /** Authenticator assurance level as it stands in the token; only exactly `aal2` is enough for the API. */
  readonly aal: string | null;
  /** Instants in seconds, as the token has them. */
  readonly issued_at: number;
  readonly expires_at: number;
}

/** An event for the outbox, written in the transaction of the change. */
export interface EmittedEvent {
  readonly type: string;
  readonly object_id: string;
  readonly object_version: number;
  /** Absent for events of bulk writes: the object is then read when somebody reads the event. */
  readonly data?: {
    readonly object: unknown;
    readonly previous?: unknown;
    /** What was done and why, where the object does not say so. */
    readonly change?: unknown;
  };
}

export interface Ctx {
  readonly db: CursorDb;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly request_id: string;
}

/** Context of a route that acts for the bearer of a marketplace session, seller or not yet. */
export interface MarketplaceCtx extends Ctx {
  readonly identity: MarketplaceIdentity;
}

/** Context of a route that acts for one seller. */
export interface SellerCtx extends Ctx {
  readonly seller: SellerPrincipal;
  /** Read with the first statement of the request; awaiting it costs nothing extra afterwards. */
  standing(): Promise<Standing>;
  /** Writes events for the outbox in the transaction of `db`. */
  emit(...events: EmittedEvent[]): Promise<void>;
  /** What ties a change to the request that caused it. */
  readonly correlation: { readonly request_id: string | null; readonly idempotency_key: string | null };
  /** For routes with `tx: 'own'`: a transaction of the seller on the pool of short statements. */
  transaction<T>(mode: 'read' | 'snapshot' | 'write', fn: (db: CursorDb) => Promise<T>): Promise<T>;
  /** The same on the pool for long work. */
  longTransaction<T>(
    mode: 'read' | 'snapshot' | 'write',
    fn: (db: CursorDb) => Promise<T>,
    options?: { readonly statementTimeoutMs?: number; readonly lockTimeoutMs?: number },
  ): Promise<T>;
  /** A stream that reads from one snapshot; the transaction ends with the stream. */
  snapshotStream<T>(fn: (db: CursorDb) => AsyncGenerator<T>): AsyncGenerator<T>;
}
