/**
 * Compares the facts by day with the orders: `npm run audit:facts`. Reads the database of DATABASE_URL, or the embedded
 * one of DATA_DIR while the service runs, and changes nothing. Exit code 1: facts differ, 2: it could not run.
 */
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { auditAllFacts } from '../src/modules/facts/index.ts';
import { MODULE_SETTINGS } from '../src/modules.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { createWithSeller, createWithSystem } from '../src/platform/db/scope.ts';
import { runningUrl } from '../src/platform/embedded-postgres/index.ts';

const EXAMPLES = 20;

async function audit(): Promise<{ readonly sellers: number; readonly broken: number }> {
  const config = readConfig(process.env, MODULE_SETTINGS);
  const url = config.DATABASE_URL ?? runningUrl(config.DATA_DIR);
  const pool = createPool({ url, max: 1, name: 'audit', log: pino({ level: 'silent' }), longWork: true });
  let [sellers, broken] = [0, 0];
  try {
    for await (const { seller_id, differing } of auditAllFacts(
      createWithSystem(pool),
      createWithSeller(pool),
    )) {
      sellers += 1;
      if (differing.length === 0) continue;
      broken += 1;
      console.log(`${seller_id}  ${differing.length} facts differ from the orders`);
      for (const { day, product_id } of differing.slice(0, EXAMPLES)) console.log(`  ${day}  ${product_id}`);
      if (differing.length > EXAMPLES) console.log(`  and ${differing.length - EXAMPLES} more`);
    }
  } finally {
    await pool.end();
  }
  return { sellers, broken };
}

try {
  const { sellers, broken } = await audit();
  console.log(
    broken === 0
      ? `The facts agree with the orders. Sellers: ${sellers}.`
      : `The facts of ${broken} of ${sellers} sellers differ from their orders.`,
  );
  process.exitCode = broken === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
