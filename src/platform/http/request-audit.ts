/** The entry of the activity log that one request leaves. Source: docs/design/activity-log.md#what-is-written. */
import type { FastifyRequest } from 'fastify';
import type { AuditMember, AuditNote, Db, Recording } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type AnyRoute, isChange, type RouteResult } from '../../kernel/route.ts';
import { recordActivity } from '../audit/record-activity.ts';
import { ipPrefix } from '../net/ip-prefix.ts';
import type { Services } from '../services.ts';
import { userAgentFamily } from './user-agent-family.ts';

/**
 * Refusals that are decisions. An unauthenticated, invalid, rate-limited or failed request leaves no entry, unless the
 * handler has noted its code.
 */
const REFUSALS: ReadonlySet<number> = new Set([402, 403, 409]);

/** An id as the service makes them. Other texts of a path may be secrets, as the token of an invitation is. */
const ID = /^[a-z]{3}_[0-9a-z]{1,64}$/;
const API = '/api/';

const singular = (collection: string): string =>
  collection.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_');

/** The last object that a path names: `/api/v1/orders/ord_…/accept` names an order. */
function namedIn(path: string): Pick<AuditNote, 'target_type' | 'target_id'> | undefined {
  const parts = path.split('?', 1)[0]?.split('/') ?? [];
  const at = parts.findLastIndex((text) => ID.test(text));
  const [collection, id] = parts.slice(at - 1);
  if (at < 1 || collection === undefined || id === undefined) return undefined;
  return { target_type: singular(collection), target_id: id };
}

/** The counts of an answer about bulk work. */
function countsIn(body: unknown): AuditNote['counts'] {
  const { counts } = (typeof body === 'object' && body !== null ? body : {}) as { readonly counts?: object };
  const numbers = Object.entries(counts ?? {}).filter(([, value]) => Number.isInteger(value));
  return numbers.length === 0 ? undefined : Object.fromEntries(numbers);
}

/** The code of a refusal that was stored as an answer. */
function codeIn(payload: unknown): string | null {
  const { code } = JSON.parse(String(payload)) as { readonly code?: string };
  return code ?? null;
}

/** An answer as it is sent. */
interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
}

export class RequestAudit {
  private readonly services: Services;
  private readonly route: AnyRoute;
  private readonly request: FastifyRequest;
  private member: AuditMember | undefined;
  private note: AuditNote = {};
  /** Whether an entry was written, or none is wanted. */
  settled = false;
  /** A dry run has no effect, so it leaves no entry. */
  private isRehearsal = false;

  constructor(services: Services, route: AnyRoute, request: FastifyRequest) {
    this.services = services;
    this.route = route;
    this.request = request;
  }

  /** Sets the acting member, whose seller's log gets the entry. */
  readonly as = (member: AuditMember): void => {
    this.member = member;
  };

  /** Notes whether the request is a dry run. Only the query of a route that has one passes the checks with it. */
  checked(query: unknown): void {
    this.isRehearsal = (query as { readonly dry_run?: unknown }).dry_run === true;
  }

  /** Adds to the entry. A later note replaces the fields of an earlier one. */
  readonly add = (note: AuditNote): void => {
    this.note = { ...this.note, ...note };
  };

  /** The same maker of answers, which notes the counts of bulk work. */
  seeing<T>(answer: (result: RouteResult) => T): (result: RouteResult) => T {
    return (result) => {
      const counts = countsIn(result.body);
      if (counts !== undefined) this.add({ counts });
      return answer(result);
    };
  }

  /** Writes the entry of an answer in the transaction of its effect. */
  readonly write = async (
    db: Db,
    { status, headers, payload }: Answered,
    replayed = false,
  ): Promise<void> => {
    const refused = status >= 400;
    const location = headers['location'];
    const made = location?.startsWith(API) === true ? namedIn(location) : undefined;
    const result = refused ? 'refused' : 'done';
    await this.enter(db, status, replayed ? 'replayed' : result, refused ? codeIn(payload) : null, made);
  };

  /** The same for a handler. */
  readonly record: Recording['record'] = (db, { status, headers = {}, body = '{}' }) =>
    this.write(db, { status, headers, payload: body });

  /** Writes the entry of an answer that has none yet, in a transaction of its own. */
  async complete(answer: Answered): Promise<void> {
    if (!this.settled) await this.alone((db) => this.write(db, answer));
  }

  /** Writes the entry of a refusal in a transaction of its own, because that of the request was rolled back. */
  async refuse(error: unknown): Promise<void> {
    if (this.isRefusal(error)) await this.alone((db) => this.enter(db, error.status, 'refused', error.code));
  }

  /** Whether the error is a decision about a write request of a known seller. */
  isRefusal(error: unknown): error is ApiError {
    const decided = error instanceof ApiError && this.isDecision(error.status);
    return decided && this.member !== undefined && this.route.method !== 'GET';
  }

  private isDecision(status: number): boolean {
    return (status >= 200 && status < 300) || REFUSALS.has(status) || this.note.code !== undefined;
  }

  private async alone(write: (db: Db) => Promise<void>): Promise<void> {
    if (this.member !== undefined) await this.services.withSeller(this.member.seller_id, 'write', write);
  }

  private async enter(
    db: Db,
    status: number,
    result: 'done' | 'refused' | 'replayed',
    code: string | null,
    made?: AuditNote,
  ): Promise<void> {
    const { member, request, route, services } = this;
    this.settled = true;
    if (member === undefined || !this.isDecision(status) || this.isRehearsal) return;
    const { seller_id, member_id, roles, aal = isChange(route) ? 'aal2' : null } = member;
    const at = () => new Date(services.now()).toISOString();
    const correlation = { request_id: request.id, idempotency_key: null };
    await recordActivity(
      { db, seller_id, ids: services.ids, at, correlation },
      {
        actor_kind: 'member',
        actor_id: member_id,
        roles,
        aal,
        action: route.id,
        result,
        status,
        code,
        ip_prefix: ipPrefix(request.ip),
        user_agent_family: userAgentFamily(request.headers['user-agent']),
        ...(made ?? namedIn(request.url)),
        ...this.note,
      },
    );
  }
}
