import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { firstInstant } from '../../../kernel/australia/sydney.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import type { WithSeller, WithSystem } from '../../../platform/db/scope.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { changedDays, differences, readProgress } from '../store/facts.ts';
import { sellersToRoll } from '../store/sellers.ts';
import { changedFrom, daysBetween, dayWith, iso } from './fill-facts.ts';

/** Retention may have begun to forget older days. */
const DAYS_AUDITED = 750;
const SELLERS_AT_ONCE = 500;
const STATEMENT_TIMEOUT_MS = 300_000;

type Differing = Awaited<ReturnType<typeof differences>>;

/**
 * Compares the facts of a seller with what the orders make of its days. Days whose orders have changed since the last
 * night are left out: the next one counts them.
 */
export async function auditFacts(at: SellerDb): Promise<Differing> {
  const { through_on, watermark_at } = await readProgress(at);
  const standing = await readStanding(at.db, at.seller_id);
  if (through_on === null || standing === undefined) return [];
  const from = addDays(through_on, 1 - DAYS_AUDITED);
  const changed = await changedDays(at, changedFrom(watermark_at), {
    from: iso(firstInstant(from)),
    to: iso(firstInstant(addDays(through_on, 1))),
  });
  const counted = daysBetween(from, through_on).filter((day) => !changed.includes(day));
  return differences(at, standing.currency, counted.map(dayWith));
}

/** Audits each seller with facts in a snapshot of its own, and changes nothing. */
export async function* auditAllFacts(
  withSystem: WithSystem,
  withSeller: WithSeller,
): AsyncGenerator<{ readonly seller_id: string; readonly differing: Differing }> {
  for (let after = ''; ; ) {
    const sellers = await withSystem('jobs', 'read', (db) =>
      sellersToRoll(db, after, 'infinity', SELLERS_AT_ONCE),
    );
    for (const seller_id of sellers)
      yield {
        seller_id,
        differing: await withSeller(seller_id, 'snapshot', (db) => auditFacts({ db, seller_id }), {
          statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        }),
      };
    after = sellers.at(-1) ?? '';
    if (sellers.length < SELLERS_AT_ONCE) return;
  }
}
