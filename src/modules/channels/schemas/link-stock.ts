import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { STOCK_MODES, STOCK_STATES } from '../domain/apply-level.ts';
import { type CountingRule, quantityBy } from '../domain/counting.ts';
import type { LocationRow } from '../store/channels.ts';
import type { LevelRow } from '../store/levels.ts';

export const StockModeSchema = StringEnum(STOCK_MODES, {
  title: 'StockMode',
  description:
    '`pool`: both sides change one stock; `mirror`: the store is right, and what is reserved here comes on top',
});
const LinkLevel = Type.Object(
  {
    location_id: Type.String({ description: 'Id of the location in the store' }),
    name: Nullable(Type.String({ description: 'Name of the location' })),
    selected: Type.Boolean({ description: 'Whether it counts' }),
    available: Nullable(Type.Integer({ description: 'Units there; null: not counted' })),
    updated_at: Instant({ description: 'When the store changed it' }),
  },
  { title: 'ChannelLinkLevel', description: 'Stock of a location.' },
);
export const LinkStock = Type.Object(
  {
    mode: StockModeSchema,
    state: StringEnum(STOCK_STATES, {
      description:
        '`untracked`: the store does not count somewhere; `unknown`: it has said nothing. Then the stock here stays',
    }),
    store_quantity: Nullable(Type.Integer({ description: 'Units over the selected locations' })),
    quantity_available: Nullable(Type.Integer({ description: 'Units that are available here' })),
    taken_here: Nullable(Type.Integer({ description: 'Units taken here that the store still counts' })),
    shortfall: Type.Integer({ description: 'How far the stock would be below zero' }),
    levels: Type.Array(LinkLevel, { description: 'Locations where the store has it' }),
  },
  { title: 'ChannelLinkStock', description: 'Stock of both sides.' },
);
export type WireLinkStock = Static<typeof LinkStock>;

interface Counted {
  readonly rule: CountingRule;
  readonly locations: readonly LocationRow[];
}

/** @param quantity_available null: the seller does not count here, or the variant is no product */
export function linkStockView(
  { rule, locations }: Counted,
  levels: readonly LevelRow[],
  shortfall: bigint,
  quantity_available: number | null,
): WireLinkStock {
  const { state, quantity } = quantityBy(rule, levels);
  const taken_here = quantity === null || quantity_available === null ? null : quantity - quantity_available;
  return {
    ...{ mode: rule.mode, state, store_quantity: quantity, quantity_available, taken_here },
    shortfall: Number(shortfall),
    levels: levels
      .filter(({ active }) => active)
      .map(({ location_id, available, updated_at }) => ({
        location_id,
        name: locations.find((one) => one.location_id === location_id)?.name ?? null,
        selected: rule.open.includes(location_id),
        ...{ available, updated_at },
      })),
  };
}

export const LINK_STOCK_EXAMPLE: WireLinkStock = {
  ...{
    mode: 'pool',
    state: 'tracked',
    store_quantity: 7,
    quantity_available: 4,
    taken_here: 3,
    shortfall: 0,
  },
  levels: [
    {
      ...{ location_id: '24826418', name: 'Sydney', selected: true, available: 7 },
      updated_at: '2026-07-01T00:00:05.000Z',
    },
  ],
};
