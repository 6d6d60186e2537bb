/**
 * Routes as data: a declaration has everything about an endpoint. The mounted routes, the OpenAPI description,
 * docs/routes.md and the permission tests are made from the declarations.
 */
import type { Static, TSchema } from 'typebox';
import type { Ctx, Db, MarketplaceCtx, Recording, SellerCtx, Statement, TokenPrincipal } from './context.ts';
import type { Eraser } from './eraser.ts';
import type { ErrorDef, FieldProblem } from './errors.ts';
import type { AnyMarketplaceEvent, EventObjects, OnNumbered, OutgoingEventDef } from './events.ts';
import type { IdKind } from './ids.ts';
import type { Machine } from './machine.ts';
import type { NightStep } from './night-step.ts';
import type { Permission } from './permissions.ts';
import type { FeatureName, LimitName } from './plans.ts';
import type { RateClassName } from './rate-limits.ts';
import type { SettingsDef } from './setting.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface AccessBase {
  /** `none` for routes that must answer while the database is down, because counting requests needs the database. */
  readonly rate: RateClassName | 'none';
  /** `none` for GET and DELETE, and for a POST only if a repeated request changes nothing. */
  readonly idempotency: 'required' | 'optional' | 'none';
}
export interface SellerAccess extends AccessBase {
  /**
   * `seller`: the service token. `setup`: the service token, or the marketplace's access token of a member, because a
   * seller that is not verified yet gets no service token (docs/adr/0023-setup-access.md).
   */
  readonly auth: 'seller' | 'setup';
  readonly permission: Permission;
  /** Account-gated area: answers 404 `module_unavailable` without the account flag. */
  readonly module?: string;
  /** Plan feature without which the route answers 402. */
  readonly plan?: FeatureName;
  /** Plan feature that only a header or parameter of the route needs; the handler answers 402. */
  readonly planOption?: FeatureName;
  /** Limit that counts the objects which the route creates; the handler answers 402 at the limit. */
  readonly limit?: LimitName;
  /**
   * The route creates or activates products, so it answers 403 `agreement_required` while the acceptance of the
   * marketplace's terms is overdue. With `some` only some requests do, and the handler refuses these (`refuseOverdue`).
   */
  readonly growsCatalogue?: true | 'some';
}
interface OpenAccess extends AccessBase {
  /** `marketplace`: the marketplace's access token in the header; `public`: no token. */
  readonly auth: 'marketplace' | 'public';
  /**
   * The limit counts only requests that are answered 401. So a sender whose signature is right is never answered 429.
   */
  readonly counts?: 'unsigned';
}
export type Access = SellerAccess | OpenAccess;

/** Whether a route acts for a seller. */
export const isSellerAccess = (access: Access): access is SellerAccess =>
  access.auth === 'seller' || access.auth === 'setup';

export interface JsonBody<B extends TSchema> {
  readonly kind: 'json';
  readonly schema: B;
  readonly example: unknown;
  /** Unknown keys are 422 unless this is set (exchange and register, docs/design/wire.md#unknown-keys). */
  readonly ignoreUnknownKeys?: boolean;
  /**
   * What the handler would refuse in the fields that the schema accepts. It is asked only if the schema refuses others,
   * so that one answer has all findings.
   */
  readonly findings?: (body: Static<B>) => readonly FieldProblem[];
}
/** The content of one content type, for the API description. */
export interface MediaDoc {
  /** Without a schema, text is described as a string and other content as bytes. */
  readonly schema?: TSchema;
  readonly example?: unknown;
}
/** A body that the handler reads as a stream: files and feeds. */
export interface StreamBody {
  readonly kind: 'stream';
  readonly contentTypes: readonly string[];
  readonly description: string;
  /** Example of the first content type. */
  readonly example?: string;
  /** Content types that have a structure. */
  readonly media?: Readonly<Record<string, MediaDoc>>;
}

export interface OkResponse {
  readonly status: number;
  readonly description: string;
  /** JSON answers. */
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** Other content, for example `text/csv`. */
  readonly contentTypes?: readonly string[];
  /** Schemas and examples of that content; text needs an example. */
  readonly media?: Readonly<Record<string, MediaDoc>>;
  /** Further headers of this answer. */
  readonly headers?: readonly HeaderDoc[];
}

/** A header that the handler reads or writes, for the API description. */
export interface HeaderDoc {
  readonly name: string;
  readonly description: string;
  readonly example?: string;
  /** JSON Schema of the value; default: any text. */
  readonly schema?: { readonly [keyword: string]: unknown };
}

/**
 * The Idempotency-Key of a request, for routes that open their own transactions. Without a key no answer is stored.
 */
export interface RequestKey {
  /**
   * Reads what is stored under the key: an answer, or a reference to work that has not ended. The key is locked until
   * the transaction ends.
   *
   * @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused`
   */
  earlier(db: Db): Promise<{ readonly answer?: RouteResult<never>; readonly reference: string | null }>;
  /** Stores a reference to work that continues after the transaction. */
  refer(db: Db, reference: string): Promise<void>;
  /** Stores the answer in the transaction of its effect, and returns it as it was stored. */
  keep<Body>(db: Db, result: RouteResult<Body>, reference?: string): Promise<RouteResult<Body>>;
  /** Frees the key, because the client may retry. */
  free(db: Db): Promise<void>;
  /** The same key with these bytes added to the fingerprint, for a body that the mount has not read. */
  including(bytes: Buffer): RequestKey;
}

interface RouteRequest<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they arrived. `headers` joins the values of a header that was sent twice. */
  readonly rawHeaders: readonly string[];
  /** Path of the request without its query, `/api/v1/…`. */
  readonly path: string;
  /** The query as it came, without the question mark. */
  readonly search: string;
  /** Stream bodies: the bytes as they arrive, content encoding untouched. */
  readonly stream: AsyncIterable<Buffer>;
  /** Remote address of the client. */
  readonly address: string;
  /** The Idempotency-Key of the request, for routes with `tx: 'own'`; the mount handles it for the others. */
  readonly key: RequestKey;
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /**
   * Runs a long poll outside the count of requests in flight. The wait must hold no database connection.
   *
   * @returns undefined, immediately, if too many requests already wait
   */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
}

/** The same type with read-only parts, which a handler may return. */
export type ReadonlyDeep<T> = T extends (infer Item)[] | readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

/** Bodies of the declared success answers; `undefined` for an answer without JSON. */
export type BodyOf<O extends readonly OkResponse[]> = O[number] extends infer One
  ? One extends { readonly schema: infer S extends TSchema }
    ? ReadonlyDeep<Static<S>>
    : undefined
  : never;

/** An entity tag whose digest is computed when the answer is written. */
export interface ShownTag {
  readonly version: string;
  /** What the digest covers; most often the body. Undefined: the answer as it is sent. */
  readonly shown: object | undefined;
}

export interface RouteResult<Body = unknown> {
  /** Default: the first declared success status. */
  readonly status?: number;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strong entity tag without quotes; `If-None-Match` and `If-Match` are compared by the mount. */
  readonly etag?: string | ShownTag;
  /** Non-JSON answers. */
  readonly content?: {
    readonly type: string;
    readonly data: AsyncIterable<Buffer | string> | Buffer | string;
  };
}

/** The kinds of installation; values of APP_ENV. */
export const ENVIRONMENTS = ['development', 'staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export interface RouteDef<
  A extends Access = Access,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
  O extends readonly [OkResponse, ...OkResponse[]] = readonly [OkResponse, ...OkResponse[]],
> {
  /**
   * The operation id: `module.resource.verb`, or `module.verb` if the module is the resource. Logs and metrics use
   * it.
   */
  readonly id: string;
  readonly method: Method;
  /** Path below `/api/v1` unless `root` is set; parameters in braces. */
  readonly path: string;
  readonly root?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  /**
   * The handler checks the query itself (`search`), because its sender signs it, or ignores what caches and browsers
   * add to an address. `query` only describes it.
   */
  readonly ownQuery?: true;
  readonly body?: JsonBody<B> | StreamBody;
  /** Headers of the request, other than those for access. For example `Prefer` and `Content-Encoding`. */
  readonly headers?: readonly HeaderDoc[];
  readonly ok: O;
  readonly errors: readonly ErrorDef[];
  /**
   * `read`: each statement is a transaction of its own, in one round trip.
   * `snapshot`: the handler has one read-only transaction.
   * `write`: the handler has one transaction, which is committed when it returns.
   * `own`: the handler opens its own transactions.
   * The default is `read` for GET and `write` for other methods.
   */
  readonly tx?: 'read' | 'snapshot' | 'write' | 'own';
  /** The answer to a GET has an entity tag, although the path ends in no id. */
  readonly tagged?: true;
  /** Set on tokens and money. */
  readonly cache?: 'no-store';
  /** The answer has a secret, so it is encrypted when it is stored under an idempotency key. */
  readonly secretAnswer?: true;
  /** With `dry_run=true` the whole effect is rolled back and the Idempotency-Key stays free. */
  readonly rehearsable?: true;
  /** Values of APP_ENV in which the route exists; default: all. */
  readonly environments?: readonly Environment[];
  /** Milliseconds until the mount answers 504; default 30,000. */
  readonly timeoutMs?: number;
  readonly handler: (
    ctx: A extends SellerAccess
      ? SellerCtx &
          C &
          (A extends { readonly auth: 'seller' } ? { readonly seller: TokenPrincipal } : unknown)
      : A extends { readonly auth: 'marketplace' }
        ? MarketplaceCtx & C
        : Ctx & Recording & C,
    request: RouteRequest<P, Q, B>,
  ) => Promise<RouteResult<BodyOf<O>>>;
}

/**
 * Whether the route changes something. A check that is sent as a POST does not; its rate class is `read`. A `setup`
 * route that changes something asks for a second factor and an active seller.
 */
export const isChange = ({ method, access }: Pick<AnyRoute, 'method' | 'access'>): boolean =>
  method !== 'GET' && access.rate !== 'read';

/** A route without its types, which were checked at its declaration. */
export type AnyRoute = Omit<RouteDef, 'handler'> & {
  readonly handler: (ctx: never, request: never) => Promise<RouteResult>;
};

/** An area of the specification: its base path, its availability and its routes. */
export interface ModuleDef {
  readonly name: string;
  /** Base path below `/api/v1`, for example `/products`. */
  readonly base: string;
  readonly title: string;
  /** What the area is, in the specification's words. */
  readonly summary: string;
  readonly availability: 'available' | 'planned' | 'deferred' | 'unavailable';
  /** In a beta area, fields, states and events may be added without notice. Without this the area is stable. */
  readonly stage?: 'beta';
  /** Why the area is not available. */
  readonly reason?: string;
  /**
   * Paths below the base that need no service token, even if the area is not built yet
   * (docs/design/wire.md#marketplace-sessions).
   */
  readonly publicPaths?: readonly string[];
  /** Paths that the specification excludes forever. */
  readonly neverPaths?: readonly string[];
  /** Paths of an available area that answer 404 `module_unavailable`, also below them. */
  readonly absentPaths?: readonly {
    /** Below the base, with parameters in braces. */
    readonly path: string;
    readonly availability: 'deferred' | 'unavailable';
    readonly reason: string;
  }[];
  /** Needs the account flag of this name (docs/design/wire.md#plans). */
  readonly accountGated?: boolean;
  readonly routes: readonly AnyRoute[];
  /** Jobs of this module. */
  readonly jobs?: readonly AnyJob[];
  /** Loops of the worker that run as long as it does. */
  readonly loops?: readonly AnyLoop[];
  /** Events that sellers receive from this module. */
  readonly events?: readonly OutgoingEventDef[];
  /** Loads the objects of events that bulk writes have written without them. */
  readonly eventObjects?: readonly EventObjects[];
  /** Writes the notifications of events when the events are numbered. */
  readonly onNumbered?: OnNumbered;
  /** Events of the marketplace that this module applies. */
  readonly marketplaceEvents?: readonly AnyMarketplaceEvent[];
  /** Prefixes of the ids that this module makes. */
  readonly ids?: readonly IdKind[];
  /** Settings of the environment that this module reads. */
  readonly settings?: SettingsDef;
  /** State machines of this module; docs/states.md is made from them. */
  readonly machines?: readonly Machine[];
  /** Reasons of this module to work outside of any seller's scope. */
  readonly systemReasons?: readonly string[];
  /** Metrics of this module. */
  readonly gauges?: readonly GaugeDef[];
  /** Erases what this module stores of a buyer. */
  readonly eraser?: Eraser;
  /** Work that follows the facts of the night. */
  readonly nightSteps?: readonly NightStep[];
  /** Things that the processes of this module count; `services.count` counts them. */
  readonly counters?: readonly CounterDef[];
}

/** Adds to a counter, for a value of its label. */
export type Count = (counter: CounterDef, label: string, by: number) => void;

/** A metric that only grows, from the start of the process on. */
export interface CounterDef {
  readonly name: string;
  readonly help: string;
  readonly label: string;
}

/** A metric that each scrape reads from the database. The statement has one row for each value of the label. */
export interface GaugeDef {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** @param now milliseconds of the service's clock */
  readonly read: (now: number) => Statement<{ readonly label: string; readonly value: number }>;
}

/** A kind of job whose types were checked at its declaration (`defineJob`). */
export interface AnyJob {
  readonly kind: string;
  /** Whether the job repeats. It exists from the first start on, and its handler returns the next instant. */
  readonly recurring: boolean;
  readonly firstAt?: (now: number) => number;
  /**
   * Whether one run does the work of all runs that were missed, as that of a job which deletes what is old. A move of a
   * manual clock leaves its runs out until the last hour.
   */
  readonly catchesUp?: true;
  readonly handler: (
    services: never,
    job: never,
    signal: AbortSignal,
  ) => Promise<{ readonly againAt: number } | undefined>;
}

/** Work that becomes due on the service's clock. A manual clock stops at its instants. */
export interface DueSource {
  /** The next due instant in milliseconds; undefined when no work is planned. */
  nextDueAt(): Promise<number | undefined>;
  /** Does all due work in the order of its instants. @returns the number of pieces of work */
  runDue(): Promise<number>;
}

/** A loop of the worker that polls for work. */
export interface WorkLoop {
  start(): void;
  /** Waits at most `graceMs` milliseconds for the current work. Interrupted work is done again later. */
  stop(graceMs: number): Promise<void>;
  /** Set if the work of the loop becomes due on the service's clock. */
  readonly due?: DueSource;
}

/** A declared loop whose types were checked at its declaration (`defineLoop`). */
export interface AnyLoop {
  readonly name: string;
  readonly create: (services: never) => WorkLoop;
}

/** Declares a module. */
export function defineModule(module: ModuleDef): ModuleDef {
  return module;
}
