/** The proof of a settlement: all levels from the payout down to the entry, with their sums. */

import { closesAt } from '../../../kernel/australia/settlement-period.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { jsonOrNull, lessMinor, minor, minorToJson, sumMinor } from '../../../kernel/money.ts';
import { bucketOf, type EntryType, ledgerPosition } from '../../ledger/index.ts';
import { moneyOf, sourceOf } from '../../reconciliation/index.ts';
import { checksOf, failureOf, type ProofInput } from '../domain/proof.ts';
import { errors } from '../errors.ts';
import { byTypeOf } from '../schemas/settlement.ts';
import { HASH_ALGORITHM, PROOF_CONTRACT } from '../schemas/settlement-parts.ts';
import { settledTotals } from '../store/lines.ts';
import { firstSuspect, type ProofEntry, type ProofOrder, proofEntries, proofFacts } from '../store/proof.ts';
import type { SettlementRow } from '../store/settlements.ts';
import { requireSettlement } from './read-settlements.ts';

const ZERO = minor(0);

async function readProof(ctx: SellerCtx, row: SettlementRow) {
  const { settlement_id } = row;
  const [found, facts, suspect] = await Promise.all([
    settledTotals(ctx, settlement_id),
    proofFacts(ctx, settlement_id),
    firstSuspect(ctx, settlement_id),
  ]);
  const { unbalanced_journal: journal_id, unbalanced_minor } = facts;
  const input: ProofInput = {
    figures: row,
    by_type: byTypeOf(row.by_type),
    lines_sha256: row.lines_sha256 ?? '',
    found: { by_type: byTypeOf(found.by_type), lines_sha256: found.lines_sha256 ?? '' },
    carried_in: facts.carried_in_minor,
    posted_payout: facts.posted_payout_minor,
    payouts: facts.payouts.map(({ payout_id, status, amount_minor, in_transit_minor, paid_minor }) => ({
      payout_id,
      status,
      amount: minor(amount_minor),
      in_transit: minor(in_transit_minor),
      paid: minor(paid_minor),
    })),
    suspect,
    unbalanced: journal_id === null ? undefined : { journal_id, amount: minor(unbalanced_minor ?? 0n) },
  };
  const payouts = facts.payouts.map(({ in_transit_minor: _, paid_minor: __, ...payout }) => payout);
  return { input, found, payouts };
}

function orderTree(
  { order_id, order_number, amount_minor, line_count }: ProofOrder,
  entries: readonly ProofEntry[],
) {
  const lines = [...Map.groupBy(entries, (entry) => entry.order_line_id)].map(([order_line_id, own]) => ({
    order_line_id,
    amount_minor: minorToJson(sumMinor(own.map((entry) => entry.amount_minor))),
    entries: own.map(({ transaction_id, journal_id, row_no, type, amount_minor: amount }) => ({
      transaction_id,
      journal_id,
      row_no,
      type: type as EntryType,
      amount_minor: minorToJson(amount),
    })),
  }));
  return {
    order_id: order_id || null,
    order_number,
    amount_minor: minorToJson(amount_minor),
    line_count,
    lines,
  };
}

/** The orders of a page with their lines and entries. */
export async function proofTree(ctx: SellerCtx, settlementId: string, orders: readonly ProofOrder[]) {
  const ids = orders.map(({ order_id }) => order_id);
  const entries = await proofEntries(ctx, settlementId, ids);
  const own = Map.groupBy(entries, ({ order_id }) => order_id);
  return orders.map((order) => orderTree(order, own.get(order.order_id) ?? []));
}

/**
 * Proves a closed settlement. The tree of its orders is a list of its own.
 *
 * @throws ApiError 404, 409 `settlement_open`
 */
export async function proveSettlement(ctx: SellerCtx, settlementId: string) {
  const { row, range } = await requireSettlement(ctx, settlementId);
  if (range !== undefined) {
    const at = closesAt({ start: row.period_start, end: row.period_end });
    throw fail(errors.settlement_open, { facts: { closes_at: new Date(at).toISOString() } });
  }
  const position = await ledgerPosition(ctx.db, ctx.seller_id);
  const { input, found, payouts } = await readProof(ctx, row);
  const checks = checksOf(input);
  const failing = failureOf(input, checks);
  const generated_at = ctx.at();
  const types = [
    ...new Set([...Object.keys(input.by_type), ...Object.keys(input.found.by_type)]),
  ] as EntryType[];
  return {
    settlement_id: row.settlement_id,
    status: failing === null ? ('balanced' as const) : ('unbalanced' as const),
    ...moneyOf(row.currency),
    generated_at,
    source: sourceOf(PROOF_CONTRACT, position, generated_at),
    payouts,
    checks: checks.map(({ name, subject_id, expected_minor, actual_minor }) => ({
      name,
      subject_id,
      expected_minor: minorToJson(expected_minor),
      actual_minor: minorToJson(actual_minor),
      difference_minor: minorToJson(lessMinor(actual_minor, expected_minor)),
    })),
    types: types.sort().map((type) => ({
      type,
      bucket: bucketOf(type),
      line_count: input.found.by_type[type]?.lines ?? 0,
      amount_minor: minorToJson(input.found.by_type[type]?.amount_minor ?? ZERO),
      recorded_amount_minor: minorToJson(input.by_type[type]?.amount_minor ?? ZERO),
    })),
    lines: {
      line_count: found.line_count,
      sha256: input.found.lines_sha256,
      recorded_sha256: input.lines_sha256,
      algorithm: HASH_ALGORITHM,
    },
    failing:
      failing === null
        ? null
        : {
            ...failing,
            expected_minor: jsonOrNull(failing.expected_minor),
            actual_minor: jsonOrNull(failing.actual_minor),
          },
  };
}
