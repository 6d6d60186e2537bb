/** Compares the charges of orders with the published rates of their day. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Db } from '../../../kernel/context.ts';
import type { OrderStatement } from '../../account/index.ts';
import { compareFees } from '../domain/compare.ts';
import { scheduleOn } from '../domain/in-effect.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';
import type { ComparedOrder } from '../schemas/comparison.ts';
import { allSchedules } from '../store/schedules.ts';
import { loadSold, type SoldOrder } from '../store/sold.ts';

export interface Asked {
  readonly order_id: string;
  /** Undefined: nothing is posted for it yet. */
  readonly statement: OrderStatement | undefined;
}

function compareOne(
  sold: SoldOrder,
  statement: OrderStatement | undefined,
  schedules: readonly FeeSchedule[],
): ComparedOrder {
  const day = sydneyDate(Date.parse(sold.placed_at));
  const published = scheduleOn(schedules, day)?.schedule ?? DEFAULT_SCHEDULE;
  const version = sold.terms?.fee_schedule_version;
  const frozen = schedules.find((schedule) => schedule.version === version) ?? published;
  return {
    comparison: compareFees(sold, published, frozen, statement?.lines ?? []),
    estimated_by: published.version,
    charged_by: frozen.version,
  };
}

/** By order; ids that are no order of the seller are left out. */
export async function compareOrders(
  db: Db,
  sellerId: string,
  asked: readonly Asked[],
): Promise<Map<string, ComparedOrder & { readonly sold: SoldOrder }>> {
  const schedules = await allSchedules(db);
  const orders = await loadSold(
    { db, seller_id: sellerId },
    asked.map(({ order_id }) => order_id),
  );
  return new Map(
    asked.flatMap(({ order_id, statement }) => {
      const sold = orders.get(order_id);
      return sold === undefined
        ? []
        : [[order_id, { ...compareOne(sold, statement, schedules), sold }] as const];
    }),
  );
}
