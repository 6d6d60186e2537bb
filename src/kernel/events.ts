/** Events as data: those that the service sends, and those that the marketplace sends to the service. */
import type { Static, TSchema } from 'typebox';
import type { Acting, Clock, Configuration, Ctx, Db } from './context.ts';
import type { DeclaredEvent, EventFields } from './declared-event.ts';
import type { Eraser } from './eraser.ts';
import type { Ids } from './ids.ts';
import { isCurrency } from './money.ts';

export type { DeclaredEvent };

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** An event that sellers receive. Source: docs/design/wire.md#events. */
export interface OutgoingEventDef {
  readonly type: string;
  readonly summary: string;
  /** Schema of `data.object`. */
  readonly schema: TSchema;
  readonly example: unknown;
  /** The object may be deleted before the event is first read. Then `data.object` is null. */
  readonly mayBeGone?: true;
  readonly notification?: NotificationDef;
  /** Types of open notifications about the same object that this event acknowledges; `where` one of its values holds. */
  readonly clears?: {
    readonly types: readonly string[];
    readonly where?: ObjectValues | readonly ObjectValues[];
  };
  /**
   * The marketplace reads the event too (`GET /internal/v1/outbox`), because a seller caused it. With values only if the
   * object has them.
   */
  readonly marketplace?: true | ObjectValues;
  /** `false`: sellers do not get the event, only the marketplace reads it. */
  readonly sellers?: false;
}

/** Values that an object must have, by the paths of their fields: `{ 'message.status': 'rejected' }`. */
type ObjectValues = Readonly<Record<string, unknown>>;
type Shown = Readonly<Record<string, unknown>> | null;

/** The value at a path of an object, `buyer.alias`. */
export const fieldOf = (object: Shown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Shown)?.[name], object);

/** Whether an object has all of the values. */
export const hasValues = (object: Shown, values: ObjectValues = {}): boolean =>
  Object.entries(values).every(([path, value]) => fieldOf(object, path) === value);

/** How an event becomes a notification. */
export interface NotificationDef {
  readonly severity: Severity;
  /** Only objects with these values become notifications. */
  readonly where?: ObjectValues;
  /** Only an object with one of the values of each field becomes a notification. Default: each object. */
  readonly when?: Readonly<Record<string, readonly unknown[]>>;
  /** An object with these values makes the notification critical. */
  readonly critical?: Readonly<Record<string, unknown>>;
  /**
   * `{name}` and `{name.part}` are fields of `data.object`, `{one|other}` is the first of them that it has. An amount
   * (`…_minor`) is shown in the object's currency. A part in brackets is left out if the object lacks a field of it:
   * `New claim[ about order {order_id}]`.
   */
  readonly title: string;
  /** Objects with these values have this title instead. */
  readonly instead?: { readonly where: ObjectValues; readonly title: string };
  /**
   * Where the object is shown, below `/api/v1`, with fields of the object: `/orders/{order_id}`. Default: the route that
   * reads an object with such an id.
   */
  readonly href?: string;
  /** Events whose objects agree become one notification. */
  readonly together?: {
    /** The values that the objects have. */
    readonly where: Readonly<Record<string, string>>;
    /** The field that names what the notification is about; null: the event has a notification of its own. */
    readonly by: string;
    /** `{times}` is the number of events. */
    readonly title: string;
  };
}

/** Loads the objects of events that were written without them by bulk writes, when the events are first read. */
export interface EventObjects {
  /** Types of the events. */
  readonly types: readonly string[];
  /** Runs in a seller's scope or in the system's, so every statement names the seller. Leaves out deleted objects. */
  readonly load: (
    db: Db,
    sellerId: string,
    objectIds: readonly string[],
    services: { readonly now: Clock; readonly config: Configuration },
  ) => Promise<ReadonlyMap<string, { readonly object: unknown; readonly version: number }>>;
}

/** An event that has just got its number, and that makes or acknowledges notifications. */
export interface NumberedNotice {
  readonly def: OutgoingEventDef;
  readonly seller_id: string;
  readonly event_id: string;
  readonly object_id: string;
  readonly sequence: bigint;
  readonly created_at: string;
  /** Null if the object was deleted. */
  readonly object: Readonly<Record<string, unknown>> | null;
}

/** Writes the notifications of such events of all sellers, in the transaction that numbers them. */
export type OnNumbered = (
  db: Db,
  notices: readonly NumberedNotice[],
  services: { readonly ids: Ids; readonly now: Clock },
) => Promise<void>;

interface EventMore {
  /** Default: the field that the declaration names. */
  readonly object_id?: string;
  /** Default: `version` of the object. */
  readonly version?: number;
  /** The old values of the fields that have changed. */
  readonly previous?: unknown;
  readonly change?: unknown;
}

/** A declaration that makes events with objects of type `T`. */
export interface EventOf<T> extends OutgoingEventDef {
  /** The event with its object. */
  of(object: T, more?: EventMore): DeclaredEvent;
  /** The event of a bulk write, without its object. */
  bare(objectId: string, version: number): DeclaredEvent;
}

const made = (event: EventFields): DeclaredEvent => event as DeclaredEvent;

/**
 * Declares an event.
 *
 * @param id field that holds the object's id; without it each call of `of` passes `object_id`
 */
export function defineEvent<S extends TSchema>(
  event: Omit<OutgoingEventDef, 'schema'> & { readonly schema: S; readonly id?: keyof Static<S> & string },
): EventOf<Static<S>> {
  const { id, ...def } = event;
  const { type } = def;
  return {
    ...def,
    of(object, { object_id, version, previous, change } = {}) {
      const fields = object as Readonly<Record<string, unknown>>;
      const named = object_id ?? (id === undefined ? undefined : fields[id]);
      const counted = version ?? fields['version'] ?? 1;
      if (typeof named !== 'string' || typeof counted !== 'number')
        throw new Error(`an event ${type} names no object or no version`);
      const data = {
        object,
        ...(previous === undefined ? {} : { previous }),
        ...(change === undefined ? {} : { change }),
      };
      return made({ type, object_id: named, object_version: counted, data });
    },
    bare: (object_id, object_version) => made({ type, object_id, object_version }),
  };
}

/** An event of the marketplace whose envelope and data are valid. */
export interface MarketplaceEvent<Data> {
  readonly id: string;
  readonly source: string;
  /** Id of the object, of the kind that the declaration names; null when the event has no subject. */
  readonly subject: string | null;
  readonly seller_id: string | null;
  /** When it happened, RFC 3339. The service's clock gives the instant of recording. */
  readonly time: string;
  /** Orders the states of the object. If it is null, the marketplace does not count them, and `time` orders them. */
  readonly object_version: bigint | null;
  readonly data: Data;
}

/** Context of an intake: the system's scope, one transaction per event. */
export interface IntakeCtx extends Ctx {
  /** Whether there is such a seller. That of the event was looked up with its id. */
  knows(sellerId: string): Promise<boolean>;
  /** The marketplace, acting for a seller in the same transaction. */
  acting(sellerId: string, by?: Acting['by']): Acting;
  /** Those of all modules. */
  readonly erasers: readonly Eraser[];
}

export interface IntakeOutcome {
  readonly status: 'applied' | 'stale';
  readonly warnings?: readonly string[];
}

/**
 * Refuses an event and leaves its id free, so that the marketplace can send it again after it has removed the cause.
 */
export class IntakeRejection extends Error {
  override readonly name = 'IntakeRejection';
  readonly code: string;
  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** @throws IntakeRejection `currency_unknown` */
export function requireCurrency(field: string, currency: string): void {
  if (!isCurrency(currency))
    throw new IntakeRejection('currency_unknown', `${field}: ISO 4217 has no currency ${currency}`);
}

/** An event type that the marketplace may send; declared by the module that applies it. */
interface MarketplaceEventDef<S extends TSchema = TSchema> {
  /** Full type, `marketplace.…`. */
  readonly type: string;
  readonly summary: string;
  /** What `subject` names. */
  readonly subject: string;
  readonly schema: S;
  readonly example: Static<S>;
  /** The `subject` of the published example, if it must agree with the data. Otherwise an id is made up. */
  readonly example_subject?: string;
  /**
   * What keeps its order in a batch, if not all events of the seller do: those with another answer are applied at the
   * same time. It gets what arrived, which is not checked yet.
   */
  readonly laneOf?: (event: Pick<MarketplaceEvent<unknown>, 'subject' | 'data'>) => string;
  readonly apply: (ctx: IntakeCtx, event: MarketplaceEvent<Static<S>>) => Promise<IntakeOutcome>;
}

export type AnyMarketplaceEvent = Omit<MarketplaceEventDef, 'apply'> & {
  readonly apply: (ctx: IntakeCtx, event: MarketplaceEvent<never>) => Promise<IntakeOutcome>;
};

export function defineMarketplaceEvent<S extends TSchema>(
  event: MarketplaceEventDef<S>,
): AnyMarketplaceEvent {
  return event as AnyMarketplaceEvent;
}
