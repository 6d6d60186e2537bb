/**
 * Counts the rows that statements read, by their plans: also those that an index answers alone, and those that a join
 * reads again from memory.
 */
import type { CursorDb, Statement } from '../../src/kernel/context.ts';
import { sql } from './sql.ts';

interface Plan {
  readonly 'Node Type': string;
  /** Of a node that reads a table. */
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const rowsOf = (plan: Plan): number =>
  (plan['Relation Name'] === undefined && plan['Node Type'] !== 'Materialize'
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0);

/** The rows that the statements of `work` read. */
export async function rowsRead(db: CursorDb, work: (db: CursorDb) => Promise<unknown>): Promise<number> {
  let rows = 0;
  const explain = async ({ text, values }: Statement<unknown>): Promise<void> => {
    const found = await db.one<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] | string }>(
      sql(`explain (analyze, format json) ${text}`, values),
    );
    const shown = found?.['QUERY PLAN'] ?? [];
    const [root] = typeof shown === 'string' ? (JSON.parse(shown) as { Plan: Plan }[]) : shown;
    if (root !== undefined) rows += rowsOf(root.Plan);
  };
  await work({
    all: async (one) => {
      await explain(one);
      return db.all(one);
    },
    one: async (one) => {
      await explain(one);
      return db.one(one);
    },
    run: (one) => db.run(one),
    later: (one) => db.later(one),
    async *cursor(one, batchSize) {
      await explain({ ...one, text: `declare explained no scroll cursor for ${one.text}` });
      yield* db.cursor(one, batchSize);
    },
  });
  return rows;
}
