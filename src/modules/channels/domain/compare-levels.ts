/** The levels that a store says it has, against those that are known. Source: docs/design/channels.md#levels. */
import { judgeLevel, type SaidLevel } from './judge-level.ts';

/** The store's answer about items. */
export interface SaidLevels<L extends SaidLevel = SaidLevel> {
  /** Those of the items that the store has, also without any level. */
  readonly items: ReadonlySet<string>;
  readonly levels: readonly L[];
}

interface Known extends SaidLevel {
  readonly updated_at: string;
  readonly active: boolean;
}

const placeOf = ({ inventory_item_id: item, location_id }: SaidLevel): string => `${item}:${location_id}`;

/**
 * What the answer says that is not known.
 *
 * @param known levels of the items that the store was asked for
 * @returns levels to take, and those about which the store must be asked one by one: of the same second, and ended ones
 */
export function compareLevels<L extends SaidLevel>(
  { items, levels }: SaidLevels<L>,
  known: readonly Known[],
): { readonly newer: readonly L[]; readonly doubtful: readonly SaidLevel[] } {
  const before = new Map(known.map((level) => [placeOf(level), level]));
  const judged = Map.groupBy(levels, (level) => judgeLevel(before.get(placeOf(level)), level));
  const places = new Set(levels.map(placeOf));
  const ended = known
    .filter((level) => level.active && items.has(level.inventory_item_id) && !places.has(placeOf(level)))
    .map(({ inventory_item_id, location_id }) => ({
      ...{ inventory_item_id, location_id, available: null, updated_at: null },
    }));
  return { newer: judged.get('take') ?? [], doubtful: [...(judged.get('ask') ?? []), ...ended] };
}
