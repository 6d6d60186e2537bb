/** Compares the charges of orders with the rates that were published for their day. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { OrderStatement } from '../../account/index.ts';
import { compareFees } from '../domain/compare.ts';
import { inEffect, scheduleOn } from '../domain/in-effect.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';
import type { ComparedOrder } from '../schemas/comparison.ts';
import { allSchedules } from '../store/schedules.ts';
import { loadSold, type SoldOrder } from '../store/sold.ts';

interface Asked {
  readonly order_id: string;
  /** Undefined if nothing is posted for the order yet. */
  readonly statement: OrderStatement | undefined;
}

function compareOne(
  sold: SoldOrder,
  statement: OrderStatement | undefined,
  schedules: readonly FeeSchedule[],
): ComparedOrder {
  const day = sydneyDate(Date.parse(sold.placed_at));
  const published =
    scheduleOn(schedules, sold.currency, day)?.schedule ??
    inEffect(schedules, sold.currency)[0] ??
    DEFAULT_SCHEDULE;
  const version = sold.terms?.fee_schedule_version;
  const frozen = schedules.find((schedule) => schedule.version === version) ?? published;
  return {
    comparison: compareFees(sold, published, frozen, statement?.lines ?? []),
    estimated_by: published.version,
    charged_by: frozen.version,
  };
}

/** The comparisons by order. Ids of other sellers' orders and unknown ids are left out. */
export async function compareOrders(
  at: SellerDb,
  asked: readonly Asked[],
): Promise<Map<string, ComparedOrder & { readonly sold: SoldOrder }>> {
  const schedules = await allSchedules(at.db);
  const orders = await loadSold(
    at,
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
