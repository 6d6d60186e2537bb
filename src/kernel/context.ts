/** The contexts that handlers get. They are passed as arguments; nothing here is global. */
import type { DeclaredEvent } from './declared-event.ts';
import type { Ids } from './ids.ts';
import type { Permission, Role } from './permissions.ts';
import type { Plan } from './plans.ts';

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The service's clock: milliseconds since the epoch. Token lifetimes, deadlines and every `…_at` follow it. */
export type Clock = () => number;

/** One SQL statement: text, and the values of its parameters. */
export interface Statement<Row> {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Declared columns of the rows; outside production the driver compares them with PostgreSQL's description. */
  readonly shape?: Readonly<Record<string, { readonly sql: string; readonly oids: readonly number[] }>>;
  /** Only carries the row type; never set. */
  readonly __row?: Row;
}

/** A database handle. Every statement runs inside one seller's scope, or inside the system's. */
export interface Db {
  all<Row>(statement: Statement<Row>): Promise<Row[]>;
  one<Row>(statement: Statement<Row>): Promise<Row | undefined>;
  /** Number of rows the statement changed. */
  run(statement: Statement<unknown>): Promise<number>;
  /**
   * Sends a statement of a transaction together with the next one, at the latest with the commit, for a write of which
   * nothing is read. If it fails, that one fails.
   */
  later(statement: Statement<unknown>): void;
}

/** A handle inside a transaction, from which large results are read in batches. */
export interface CursorDb extends Db {
  /** Rows in batches from a server-side cursor; only in a `snapshot` or `write` transaction. */
  cursor<Row>(statement: Statement<Row>, batchSize: number): AsyncGenerator<Row[]>;
}

export type SellerStatus = 'active' | 'suspended' | 'closed';

/** The seller's standing now, which may differ from the standing when the token was issued. */
export interface Standing {
  readonly status: SellerStatus;
  readonly verified: boolean;
  readonly api_access: boolean;
  readonly plan: Plan;
  readonly account_flags: readonly string[];
  readonly currency: string;
  /** Days in Sydney on which a holiday closing hides the products, inclusive; null: none, or without an end. */
  readonly hidden_from: string | null;
  readonly hidden_to: string | null;
  /** The version of the marketplace's terms that the seller was asked about; null: none. */
  readonly agreement_version: string | null;
  /** By when it must be accepted, RFC 3339; null: nothing is due. */
  readonly agreement_due_at: string | null;
}

/** The member who sends a request. */
export interface SellerPrincipal {
  readonly seller_id: string;
  readonly member_id: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly Permission[];
}

/** The same, as a service token says. */
export interface TokenPrincipal extends SellerPrincipal {
  /** The session that the token belongs to; revoking it ends the token. */
  readonly sid: string;
  /** Seconds since the epoch, as in the token. */
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
  /** The marketplace says that the person receives what is sent to `email`. */
  readonly email_verified: boolean;
  readonly session_id: string | null;
  /** Authenticator assurance level of the token. The exchange asks for exactly `aal2`. */
  readonly aal: string | null;
  /** Seconds since the epoch, as in the token. */
  readonly issued_at: number;
  readonly expires_at: number;
}

/** The actor of a change, as histories record it. */
export interface Actor {
  readonly kind: 'member' | 'marketplace' | 'buyer' | 'channel' | 'system';
  /** Id of the member or of the channel; null for other actors. */
  readonly id: string | null;
}

/** Links a change to the request, or to the delivery of a store, that caused it. */
export interface Correlation {
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
  /** `cdl_…`, if a store sent the change. */
  readonly delivery_id?: string;
  /** The trace of the request, in events. */
  readonly traceparent?: string;
}

/** What a change adds to its entry of the activity log: names and numbers, never values. */
export interface AuditNote {
  /** What the change is about, if neither the answer's `Location` nor the path of the request names it by its id. */
  readonly target_type?: string | undefined;
  readonly target_id?: string | undefined;
  readonly changed_fields?: readonly string[] | undefined;
  /** Numbers of bulk work. Default: `counts` of the answer. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** Code of the error of a refusal. A handler notes it where the status of its refusal alone would leave no entry. */
  readonly code?: string | null | undefined;
}

/** The member whose seller's activity log gets the entry of a request. */
export interface AuditMember {
  readonly seller_id: string;
  readonly member_id: string;
  readonly roles: readonly Role[];
  /** Assurance level of the session; without it, what the route asks for. */
  readonly aal?: string | null;
}

/** The entry of the activity log, for routes that open their own transactions and keep no answer under a key. */
export interface Recording {
  /** Says who acts, on a route without a service token. */
  auditAs(member: AuditMember): void;
  /** Writes the entry of the request in the transaction of its effect. */
  record(
    db: Db,
    answer: {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    },
  ): Promise<void>;
}

/** A job: work that runs later, on the service's clock. */
interface PlannedJob {
  readonly kind: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** One job for each kind and key: adding it again makes it due, or run again after a run that began before. */
  readonly uniqueKey?: string;
  /** Milliseconds of the service's clock. */
  readonly dueAt: number;
}

/** Values of all settings by name; a module reads its own by `defineSettings`. */
export type Configuration = Readonly<Record<string, unknown>>;

/**
 * The context of every change of a seller's data: seller, transaction, actor and cause. One function builds it
 * (`acting`), for a request, for work of the worker, for an event of the marketplace, and for a test.
 * Source: docs/adr/0021-one-acting-context.md.
 */
export interface Acting {
  readonly db: CursorDb;
  readonly seller_id: string;
  readonly by: Actor;
  readonly now: Clock;
  /** The present instant in RFC 3339. */
  at(): string;
  readonly ids: Ids;
  readonly config: Configuration;
  /** Adds and cancels jobs in the transaction of `db`. */
  readonly jobs: {
    add(job: PlannedJob): Promise<void>;
    cancel(kind: string, uniqueKey: string): Promise<void>;
  };
  readonly correlation: Correlation;
  /** Id of the marketplace's event that causes the change. */
  readonly cause: string | null;
  /** Writes events for the seller's outbox in the transaction of `db`; their order is kept. */
  emit(...events: DeclaredEvent[]): Promise<void>;
  /** Digests of a text under the keys of the installation, that of the present key first. */
  digests(purpose: string, text: string): readonly string[];
  /** Adds to the entry of the activity log that the request or event leaves. Other work leaves none. */
  audit(note: AuditNote): void;
  /** The same context in another transaction. */
  in(db: CursorDb): this;
}

export interface Ctx {
  readonly db: CursorDb;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly request_id: string;
}

/** Context of a route for the bearer of a marketplace session, who may not be a seller yet. */
export interface MarketplaceCtx extends Ctx, Recording {
  readonly identity: MarketplaceIdentity;
}

/** Context of a route that acts for one seller. */
export interface SellerCtx extends Ctx, Acting, Recording {
  readonly seller: SellerPrincipal;
  /** The first statement of the request reads it; after that the call costs no round trip. */
  standing(): Promise<Standing>;
  /** For routes with `tx: 'own'`: a transaction of the seller on the pool for short work. */
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
