/** Erases a buyer in the stored events for suppliers; no table of dropship says anything of buyers. */
import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { idsOfOrders } from '../store/dropship-orders.ts';

type Fields = Readonly<Record<string, unknown>>;
const placeOf = ({ state = null, country = null }: Fields): Fields => ({ state, country });

/** @param keepsDelivery whether the address stays, because the order is still to be delivered */
function withoutBuyer(data: EventData, keepsDelivery: boolean): EventData {
  const object = data.object as Fields | null;
  if (object === null) return data;
  const { buyer, ship_to, destination } = object;
  const erased = {
    ...object,
    ...(buyer !== undefined && { buyer: { alias: null } }),
    ...(!keepsDelivery && ship_to !== undefined && { ship_to: placeOf(ship_to as Fields) }),
    ...(!keepsDelivery &&
      destination !== undefined && { destination: { ...placeOf(destination as Fields), postcode: null } }),
  };
  return { ...data, object: erased };
}

export const dropshipEraser: Eraser = {
  columns: [],
  async erase(ctx, { order_ids, open_order_ids }) {
    for (const [ids, isOpen] of [[order_ids, false] as const, [open_order_ids, true] as const]) {
      const objects = await idsOfOrders(ctx, ids);
      await rewriteEvents(ctx, objects, (data) => withoutBuyer(data, isOpen));
    }
    return [];
  },
};
