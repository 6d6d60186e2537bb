/**
 * Takes events of the marketplace, each in a transaction of its own, which applies the event and stores its id. Only
 * `applied` and `stale` store the id; the marketplace may send a rejected event again once its cause is gone.
 * Source: docs/design/marketplace-events.md#answers.
 */
import type { AuditNote, CursorDb } from '../kernel/context.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { requireNotFuture } from '../kernel/event-order.ts';
import {
  type AnyMarketplaceEvent,
  type IntakeCtx,
  IntakeRejection,
  type MarketplaceEvent,
} from '../kernel/events.ts';
import { findUnstorableText } from '../kernel/storable-text.ts';
import { acting, MARKETPLACE } from '../platform/acting.ts';
import { recordActivity } from '../platform/audit/record-activity.ts';
import { sellerExists } from '../platform/db/read-standing.ts';
import { isConflict, isLocked } from '../platform/db/unavailable.ts';
import { toApiError } from '../platform/http/errors.ts';
import { compileDataFinder } from '../platform/http/validate.ts';
import type { Services } from '../platform/services.ts';
import type { Envelope } from './envelope.ts';
import { lockEventId, recordEvent } from './store/marketplace-events.ts';

/** Most tries of a transaction that fails by a serialization failure, a deadlock or a duplicate key. */
const TRIES_MAX = 4;

type EventStatus = 'applied' | 'duplicate' | 'stale' | 'rejected';

export interface EventResult {
  readonly id: string;
  readonly status: EventStatus;
  readonly code?: string;
  readonly detail?: string;
  readonly warnings?: readonly string[];
}

interface IntakeDeps {
  readonly services: Services;
  readonly log: Services['log'];
  readonly requestId: string;
  /** Whether a commit returns before it is on the disk. The request then waits once for all its commits. */
  readonly lazyCommit: boolean;
}

interface KnownType {
  readonly def: AnyMarketplaceEvent;
  /** The problem of invalid data, with the name of the field; undefined for valid data. */
  readonly problemOf: (data: unknown) => string | undefined;
}

type Intake = (deps: IntakeDeps, event: Envelope) => Promise<EventResult>;

/** The findings as one text, each with the place of its field. */
const textOf = (problems: readonly FieldProblem[]): string | undefined =>
  problems.map(({ loc, msg }) => `${['data', ...loc.slice(1)].join('/')}: ${msg}`).join(' ') || undefined;

/** The intake of the declared event types. */
export function createIntake(defs: readonly AnyMarketplaceEvent[]): Intake {
  const known = new Map<string, KnownType>();
  for (const def of defs) {
    if (known.has(def.type)) throw new Error(`${def.type} is declared twice`);
    const find = compileDataFinder(def.schema);
    known.set(def.type, { def, problemOf: (data) => textOf(find(data)) });
  }
  return (deps, event) => takeEvent(deps, event, known.get(event.type));
}

export const BUSY = 'object_busy';
/** What an event changes is locked, mostly by a feed run. One locked object holds up no event of another seller. */
export const busy = (id: string): EventResult => ({
  id,
  status: 'rejected',
  code: BUSY,
  detail:
    'Something else is changing this data of the seller, for example a feed run. Send the event again later.',
});

async function takeEvent(
  deps: IntakeDeps,
  event: Envelope,
  type: KnownType | undefined,
): Promise<EventResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deps.services.withSystem(
        'marketplace-event',
        'write',
        (db) => takeInside(deps, db, event, type),
        { lazyCommit: deps.lazyCommit },
      );
    } catch (error) {
      if (error instanceof IntakeRejection) {
        return { id: event.id, status: 'rejected', code: error.code, detail: error.message };
      }
      if (attempt < TRIES_MAX && isConflict(error)) continue;
      if (isLocked(error)) return busy(event.id);
      const refused = toApiError(error);
      // The database is unreachable. The marketplace repeats the whole request, and applied events are then duplicates.
      if (refused.status === 503) throw error;
      deps.log.error(
        { err: error, type: event.type, event_id: event.id },
        'applying a marketplace event failed',
      );
      return {
        id: event.id,
        status: 'rejected',
        code: 'internal_error',
        detail: `The service failed to apply the event; its log has the error under the request id ${deps.requestId}.`,
      };
    }
  }
}

/** @throws IntakeRejection, which rolls the transaction back and leaves the id free */
async function takeInside(
  deps: IntakeDeps,
  db: CursorDb,
  event: Envelope,
  type: KnownType | undefined,
): Promise<EventResult> {
  const { now } = deps.services;
  const knows = knownSellers(db);
  const [taken] = await Promise.all([
    lockEventId(db, event),
    event.seller_id === null ? undefined : knows(event.seller_id),
  ]);
  if (taken !== undefined) {
    if (taken.digest.equals(event.digest)) return { id: event.id, status: 'duplicate' };
    throw new IntakeRejection(
      'id_reused',
      'An event with this source and id but other content was applied before.',
    );
  }
  if (type === undefined) throw new IntakeRejection('unknown_type', `The type "${event.type}" is not known.`);
  const problem = type.problemOf(event.data) ?? textProblem(event.data);
  if (problem !== undefined) throw new IntakeRejection('data_invalid', problem);
  const recordedAt = new Date(now()).toISOString();
  const occurredAt = event.time ?? recordedAt;
  requireNotFuture(now(), { time: occurredAt });
  const noted: Noted = { acted: new Set() };
  const intake = intakeCtx(deps, db, event.id, noted, knows);
  const outcome = await type.def.apply(intake, {
    id: event.id,
    source: event.source,
    subject: event.subject,
    seller_id: event.seller_id,
    time: occurredAt,
    object_version: event.object_version,
    data: event.data,
  } as MarketplaceEvent<never>);
  await Promise.all([
    recordEvent(db, event, { status: outcome.status, occurredAt, recordedAt }),
    recordInLog(intake, event, type.def, outcome.status, noted),
  ]);
  const warnings = outcome.warnings ?? [];
  return { id: event.id, status: outcome.status, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** What applying an event has noted for the activity log. */
interface Noted {
  /** The seller whose data were changed. */
  seller_id?: string;
  note?: AuditNote;
  /** The sellers for which the event was applied. */
  readonly acted: Set<string>;
}

/** An id that the service or the marketplace has made. Other subjects may be secret, as a tax id is. */
const ID = /^[a-z]{3}_[0-9a-z]{1,64}$/;

/** Writes the event into the activity log of the seller that it names. A stale event has changed nothing. */
async function recordInLog(
  intake: IntakeCtx,
  { type: action, subject, seller_id }: Envelope,
  def: AnyMarketplaceEvent,
  status: 'applied' | 'stale',
  noted: Noted,
): Promise<void> {
  const isId = subject !== null && ID.test(subject);
  const [, kind] = /^(\w+) id$/.exec(def.subject) ?? [];
  const seller = seller_id ?? (isId && kind === 'seller' ? subject : noted.seller_id);
  if (seller === undefined || !(noted.acted.has(seller) || (await intake.knows(seller)))) return;
  await recordActivity(intake.acting(seller), {
    actor_kind: 'marketplace',
    action,
    result: status === 'applied' ? 'done' : 'refused',
    code: status === 'applied' ? null : status,
    ...noted.note,
    ...(isId && { target_type: kind, target_id: subject }),
  });
}

function textProblem(data: unknown): string | undefined {
  const at = findUnstorableText(data);
  return at === undefined ? undefined : `data/${at.join('/')} has a NUL or half of a surrogate pair`;
}

/** Asks once for each seller. Sellers are never deleted. */
function knownSellers(db: CursorDb): IntakeCtx['knows'] {
  const asked = new Map<string, Promise<boolean>>();
  return (sellerId) => {
    const known = asked.get(sellerId) ?? sellerExists(db, sellerId);
    asked.set(sellerId, known);
    return known;
  };
}

function intakeCtx(
  { services, log, requestId }: IntakeDeps,
  db: CursorDb,
  cause: string,
  noted: Noted,
  knows: IntakeCtx['knows'],
): IntakeCtx {
  const { now, ids } = services;
  const correlation = { request_id: requestId, idempotency_key: null };
  return {
    db,
    now,
    ids,
    log,
    knows,
    erasers: services.modules.flatMap(({ eraser }) => eraser ?? []),
    request_id: requestId,
    acting: (sellerId, by = MARKETPLACE) => {
      noted.acted.add(sellerId);
      return acting(services, {
        db,
        seller_id: sellerId,
        by,
        correlation,
        cause,
        audit: (note) => {
          noted.seller_id = sellerId;
          noted.note = { ...noted.note, ...note };
        },
      });
    },
  };
}
