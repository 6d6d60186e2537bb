/** `data` of an event. */
export interface EventData {
  readonly object: unknown;
  readonly previous?: unknown;
  /** The action and its reason, if the object does not show them. */
  readonly change?: unknown;
}

/** An event before it has an id and a number. */
export interface EventFields {
  readonly type: string;
  readonly object_id: string;
  readonly object_version: number;
  /** Absent for events of bulk writes. Their object is added when the event is first read. */
  readonly data?: EventData;
}

declare const declared: unique symbol;

/**
 * An event for the outbox, written in the transaction of the change. Only a declaration can make one (`event.of`); an
 * object literal does not compile.
 */
export interface DeclaredEvent extends EventFields {
  readonly [declared]: true;
}
