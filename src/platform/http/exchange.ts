/** One request on its way through the checks. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  CursorDb,
  MarketplaceIdentity,
  SellerPrincipal,
  Standing,
  TokenPrincipal,
} from '../../kernel/context.ts';
import type { AnyRoute, ModuleDef } from '../../kernel/route.ts';
import type { Services } from '../services.ts';
import type { Deadline } from './deadline.ts';
import type { RateLimiter } from './rate.ts';
import { RequestAudit } from './request-audit.ts';
import { RequestLog } from './request-log.ts';

export interface MountDeps {
  readonly services: Services;
  readonly rate: RateLimiter;
  /** @throws ApiError 401 */
  readonly verifyToken: (authorization: string | undefined) => Promise<TokenPrincipal> | TokenPrincipal;
  /** Whether undeclared errors and bodies become 500, as in development and tests. */
  readonly strict: boolean;
}

export interface MountedRoute {
  readonly module: ModuleDef;
  readonly route: AnyRoute;
}

export class Exchange {
  readonly deps: MountDeps;
  readonly mounted: MountedRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deadline: Deadline;
  readonly log: RequestLog;
  seller: SellerPrincipal | undefined;
  /** The session of the service token; undefined if the request has the marketplace's token. */
  sid: string | undefined;
  standing: Standing | undefined;
  /** Whether the permission was checked. */
  permitted = false;
  /** The handler's database handle, while the handler runs. */
  db: CursorDb | undefined;
  identity: MarketplaceIdentity | undefined;
  /** The entry of the activity log; undefined for a read, which leaves none. */
  readonly audit: RequestAudit | undefined;
  /** Whether the request was counted against the seller's rate. */
  counted = false;

  constructor(
    deps: MountDeps,
    mounted: MountedRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    deadline: Deadline,
  ) {
    this.deps = deps;
    this.mounted = mounted;
    this.request = request;
    this.reply = reply;
    this.deadline = deadline;
    this.log = new RequestLog(request);
    const { route } = mounted;
    // A download of an export leaves an entry too.
    const isAudited = route.method !== 'GET' || (route.access.rate === 'export' && request.method === 'GET');
    if (isAudited) this.audit = new RequestAudit(deps.services, route, request);
  }

  get access(): AnyRoute['access'] {
    return this.mounted.route.access;
  }
}
