/** The erasure of a buyer, as modules take part in it. Source: docs/design/buyers.md#erasure. */
import type { Acting } from './context.ts';

/** Whose data are erased. */
export interface Erasing {
  /** Null if the seller knows only orders of the reference, or what an earlier erasure has reached. */
  readonly buyer_id: string | null;
  /** Orders of which nothing of the buyer stays. */
  readonly order_ids: readonly string[];
  /** Orders that keep what their delivery needs. */
  readonly open_order_ids: readonly string[];
  /** Threads with the buyer, as they were before the first eraser. */
  readonly thread_ids: readonly string[];
  /** Objects of all kinds that earlier erasures of the reference have reached. Texts may have come to them since. */
  readonly earlier_ids: readonly string[];
  /** What happened until this instant is erased, RFC 3339; late events are compared with it. */
  readonly erased_at: string;
}

/** Erases what a module stores of a buyer, in the transaction of the request. It must be safe to run twice. */
export interface Eraser {
  /** The columns with texts about buyers, `table.column`. A test compares them with the schema. */
  readonly columns: readonly string[];
  /**
   * Runs in the system's scope or the seller's, so every statement names the seller.
   *
   * @returns the ids of the objects that later texts of the buyer may come to without naming the buyer
   */
  readonly erase: (ctx: Acting, erasing: Erasing) => Promise<readonly string[]>;
}
