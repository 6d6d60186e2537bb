/**
 * What a level of a store is against the one that is known. Deliveries come in any order, and an instant of the store
 * has no fractions of a second, so that some levels only the store can decide.
 * Source: docs/design/channels.md#levels.
 */
export interface SaidLevel {
  readonly inventory_item_id: string;
  readonly location_id: string;
  /** Null: the store does not count there. */
  readonly available: number | null;
  /** The store's own instant; null: the store no longer has the item there, at some instant. */
  readonly updated_at: string | null;
}

interface KnownLevel {
  readonly available: number | null;
  readonly updated_at: string;
  readonly active: boolean;
}

/** `take` it; it is `stale`; it is the `same`; or `ask` the store. */
export type Judgement = 'take' | 'stale' | 'same' | 'ask';

export function judgeLevel(
  known: KnownLevel | undefined,
  said: Omit<SaidLevel, 'inventory_item_id' | 'location_id'>,
): Judgement {
  if (said.updated_at === null) return 'ask';
  if (known === undefined) return 'take';
  // A level that ended has no instant to compare with.
  if (!known.active) return 'ask';
  if (said.updated_at !== known.updated_at) return said.updated_at > known.updated_at ? 'take' : 'stale';
  return said.available === known.available ? 'same' : 'ask';
}
