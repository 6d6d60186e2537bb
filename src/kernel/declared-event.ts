/** An event for the outbox, written in the transaction of the change; made by its declaration. */
export interface DeclaredEvent {
  readonly type: string;
  readonly object_id: string;
  readonly object_version: number;
  /** Absent for events of bulk writes: the object is read when the event is first read. */
  readonly data?: {
    readonly object: unknown;
    readonly previous?: unknown;
    /** The action and its reason, where the object does not show them. */
    readonly change?: unknown;
  };
}
