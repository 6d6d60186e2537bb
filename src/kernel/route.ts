/**
 * Routes as data: everything the service knows about an endpoint stands in its declaration. The mount, the
 * OpenAPI description, docs/routes.md and the permission tests are all made from the same list.
 */
import type { Static, TSchema } from 'typebox';
import type { Ctx, Db, MarketplaceCtx, SellerCtx, Statement } from './context.ts';
import type { ErrorDef } from './errors.ts';
import type { AnyMarketplaceEvent, EventObjects, OutgoingEventDef } from './events.ts';
import type { IdKind } from './ids.ts';
import type { Machine } from './machine.ts';
import type { Permission } from './permissions.ts';
import type { FeatureName, LimitName } from './plans.ts';
import type { RateClassName } from './rate-limits.ts';
import type { SettingsDef } from './setting.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface AccessBase {
  /** `none` for what must answer whatever else fails: counting asks the database. */
  readonly rate: RateClassName | 'none';
  /** GET and DELETE: `none`. A POST may not be `none` unless repeating it changes nothing. */
  readonly idempotency: 'required' | 'optional' | 'none';
}
export interface SellerAccess extends AccessBase {
  readonly auth: 'seller';
  readonly permission: Permission;
  /** Account-gated area: answers 404 `module_unavailable` without the account flag. */
  readonly module?: string;
  /** Plan feature without which the route answers 402. */
  readonly plan?: FeatureName;
  /** Plan feature that only a header or parameter of the route asks for; its handler answers 402. */
  readonly planOption?: FeatureName;
  /** Count-limited resource that the route adds to; its handler answers 402 when the plan allows no more. */
  readonly limit?: LimitName;
}
export interface OpenAccess extends AccessBase {
  /** `marketplace`: the marketplace's access token in the header; `public`: nothing is asked for. */
  readonly auth: 'marketplace' | 'public';
}
export type Access = SellerAccess | OpenAccess;

export interface JsonBody<B extends TSchema> {
  readonly kind: 'json';
  readonly schema: B;
  readonly example: unknown;
  /** Unknown keys are 422 unless this is set (exchange and register, docs/design/wire.md#unknown-keys). */
  readonly ignoreUnknownKeys?: boolean;
}
/** What one content type holds, for the description. */
export interface MediaDoc {
  /** Without a schema text is a string and anything else is bytes. */
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
  /** Headers of this answer beside those that every answer has. */
  readonly headers?: readonly HeaderDoc[];
}

/** A header that the handler reads or writes by itself, for the description. */
export interface HeaderDoc {
  readonly name: string;
  readonly description: string;
  readonly example?: string;
  /** JSON Schema of the value; default: any text. */
  readonly schema?: { readonly [keyword: string]: unknown };
}

/**
 * The Idempotency-Key of a request, for routes that open their own transactions. Without a key nothing is kept.
 */
export interface RequestKey {
  /**
   * What the key stands for: an answer, or work under a reference whose answer is still to come. The key is held
   * until the transaction ends.
   *
   * @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused`
   */
  earlier(db: Db): Promise<{ readonly answer?: RouteResult<never>; readonly reference: string | null }>;
  /** Lets the key stand for work that goes on after the transaction. */
  refer(db: Db, reference: string): Promise<void>;
  /** Keeps an answer in the transaction of its effect, and returns it as it was kept. */
  keep<Body>(db: Db, result: RouteResult<Body>): Promise<RouteResult<Body>>;
  /** Frees the key: the outcome may be retried. */
  free(db: Db): Promise<void>;
  /** The same key for a request of which these bytes are a part, beside what the mount has read. */
  including(bytes: Buffer): RequestKey;
}

export interface RouteRequest<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Path of the request without its query, `/api/v1/…`. */
  readonly path: string;
  /** Stream bodies: the bytes as they arrive, content encoding untouched. */
  readonly stream: AsyncIterable<Buffer>;
  /** Remote address, for the routes that limit by it. */
  readonly address: string;
  /** The Idempotency-Key of the request, for routes with `tx: 'own'`; the mount handles it for the others. */
  readonly claim:
    | { readonly routeId: string; readonly key: string; readonly fingerprint: Buffer }
    | undefined;
  /** The same with what is kept under it. */
  readonly key: RequestKey;
  /** Aborted when the client goes away or the time is over. */
  readonly signal: AbortSignal;
  /**
   * Runs a wait for something new outside the count of requests in flight. Hold no connection meanwhile.
   *
   * @returns undefined, at once, where too many requests wait already
   */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
}

/** A value that the handler may build of read-only parts. */
export type ReadonlyDeep<T> = T extends (infer Item)[] | readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

/** Bodies that the declared success answers allow; `undefined` where one has no JSON. */
export type BodyOf<O extends readonly OkResponse[]> = O[number] extends infer One
  ? One extends { readonly schema: infer S extends TSchema }
    ? ReadonlyDeep<Static<S>>
    : undefined
  : never;

export interface RouteResult<Body = unknown> {
  /** Default: the first declared success status. */
  readonly status?: number;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strong entity tag without quotes; `If-None-Match` and `If-Match` are compared by the mount. */
  readonly etag?: string;
  /** Non-JSON answers. */
  readonly content?: {
    readonly type: string;
    readonly data: AsyncIterable<Buffer | string> | Buffer | string;
  };
}

export interface RouteDef<
  A extends Access = Access,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  C = unknown,
  O extends readonly [OkResponse, ...OkResponse[]] = readonly [OkResponse, ...OkResponse[]],
> {
  /** Operation id, `module.resource.verb` (`module.verb` where the module is the resource); the name in logs and metrics too. */
  readonly id: string;
  readonly method: Method;
  /** Path below `/api/v1` unless `root` is set; parameters in braces. */
  readonly path: string;
  readonly root?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: JsonBody<B> | StreamBody;
  /** Headers beside those that follow from the access: `Prefer`, `Content-Encoding` and the like. */
  readonly headers?: readonly HeaderDoc[];
  readonly ok: O;
  readonly errors: readonly ErrorDef[];
  /**
   * `read`: every statement alone (one round trip each); `snapshot`: one read-only transaction;
   * `write`: one transaction, committed when the handler returns; `own`: the handler opens its own.
   * Default: `read` for GET, `write` for the rest.
   */
  readonly tx?: 'read' | 'snapshot' | 'write' | 'own';
  /** `no-store` on tokens and money. */
  readonly cache?: 'no-store';
  /** The answer holds a secret: under an idempotency key it is stored sealed. */
  readonly secretAnswer?: true;
  /** With `dry_run=true` all of it is undone again, and an Idempotency-Key stays free for the request itself. */
  readonly rehearsable?: true;
  /** The route does not exist when APP_ENV is production. */
  readonly outsideProduction?: boolean;
  /** Milliseconds until the mount answers 504; default 30,000. */
  readonly timeoutMs?: number;
  readonly handler: (
    ctx: A extends SellerAccess
      ? SellerCtx & C
      : A extends { readonly auth: 'marketplace' }
        ? MarketplaceCtx & C
        : Ctx & C,
    request: RouteRequest<P, Q, B>,
  ) => Promise<RouteResult<BodyOf<O>>>;
}

/** A route whose types have been checked at its declaration and need not be known any more. */
export type AnyRoute = Omit<RouteDef, 'handler'> & {
  readonly handler: (ctx: never, request: never) => Promise<RouteResult>;
};

/** An area of the specification: its base path and what stands behind it. */
export interface ModuleDef {
  readonly name: string;
  /** Base path below `/api/v1`, for example `/products`. */
  readonly base: string;
  readonly title: string;
  /** Specification wording of what the area is. */
  readonly summary: string;
  readonly availability: 'available' | 'planned' | 'deferred' | 'unavailable';
  /** Fields, states and events of a beta area may be added without notice; absent: the area is stable. */
  readonly stage?: 'beta';
  /** Why an area that is not available is not. */
  readonly reason?: string;
  /**
   * Paths below the base that ask for no service token, also while the area is absent
   * (docs/design/wire.md#marketplace-sessions).
   */
  readonly publicPaths?: readonly string[];
  /** Paths below the base that no release will ever have, as the specification says. */
  readonly neverPaths?: readonly string[];
  /** Needs the account flag of this name (docs/design/wire.md#plans). */
  readonly accountGated?: boolean;
  readonly routes: readonly AnyRoute[];
  /** Work that the worker does for this module. */
  readonly jobs?: readonly AnyJob[];
  /** Work of the worker that never ends. */
  readonly loops?: readonly AnyLoop[];
  /** Events that sellers receive from this module. */
  readonly events?: readonly OutgoingEventDef[];
  /** What belongs into those of its events that bulk writes leave empty. */
  readonly eventObjects?: readonly EventObjects[];
  /** Events of the marketplace that this module applies. */
  readonly marketplaceEvents?: readonly AnyMarketplaceEvent[];
  /** Prefixes of the ids that this module makes. */
  readonly ids?: readonly IdKind[];
  /** Settings of the environment that this module reads. */
  readonly settings?: SettingsDef;
  /** How its things change state; docs/states.md is made from them. */
  readonly machines?: readonly Machine[];
  /** Why this module works outside any seller's scope; the list of all modules is closed. */
  readonly systemReasons?: readonly string[];
  /** Figures of this module among the metrics. */
  readonly gauges?: readonly GaugeDef[];
}

/** A figure that is read from the database at each scrape of the metrics, one row for each value of its label. */
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
  /** Exists once from the first start on; its handler says when it runs again. */
  readonly recurring: boolean;
  readonly handler: (
    services: never,
    job: never,
    signal: AbortSignal,
  ) => Promise<{ readonly againAt: number } | undefined>;
}

/** Something that falls due on the service's clock, which a manual clock must not pass by. */
export interface DueSource {
  /** The next instant at which something is due, in milliseconds; undefined when nothing waits. */
  nextDueAt(): Promise<number | undefined>;
  /** Does what is due in order of its instant, until nothing is; says how much that was. */
  runDue(): Promise<number>;
}

/** A worker's loop: it looks again and again for something to do. */
export interface WorkLoop {
  start(): void;
  /** Ends what is in work, at the latest after so many milliseconds; what is cut off is done again. */
  stop(graceMs: number): Promise<void>;
  /** For loops whose work falls due on the service's clock. */
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
