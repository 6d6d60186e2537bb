/** Finds statements for which PostgreSQL keeps no plan. */
import type { CursorDb, Statement } from '../../src/kernel/context.ts';
import { bigint, text } from '../../src/platform/db/columns.ts';
import { statement } from '../../src/platform/db/statement.ts';

/** PostgreSQL plans the first five runs, and then compares their mean with the plan for any values. */
const RUNS = 10;
const PLANS = statement({ statement: text, generic_plans: bigint })`
  select statement, generic_plans
    from pg_prepared_statements`;

/**
 * The statements that are planned anew for each run.
 *
 * @param db of a transaction, so that all runs are on one connection
 */
export async function plannedAnew(
  db: CursorDb,
  work: (db: CursorDb) => Promise<unknown>,
): Promise<readonly string[]> {
  const sent = new Set<string>();
  const noting = <Row>(one: Statement<Row>): Statement<Row> => {
    sent.add(one.text);
    return one;
  };
  for (let run = 0; run < RUNS; run += 1)
    await work({
      all: (one) => db.all(noting(one)),
      one: (one) => db.one(noting(one)),
      run: (one) => db.run(noting(one)),
      later: (one) => db.later(one),
      cursor: (one, batchSize) => db.cursor(one, batchSize),
    });
  const plans = await db.all(PLANS);
  return plans
    .filter(({ statement: of, generic_plans }) => sent.has(of) && generic_plans === 0n)
    .map((plan) => plan.statement);
}
