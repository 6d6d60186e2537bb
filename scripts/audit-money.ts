/**
 * Runs the invariants of the money: `npm run audit:money`. Reads the database of DATABASE_URL, or the embedded one of
 * DATA_DIR while the service runs, and changes nothing. Exit code 1: an invariant is violated, 2: it could not run.
 */

import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { readFindings } from '../src/modules/financials/index.ts';
import { MODULE_SETTINGS } from '../src/modules.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { createWithSystem } from '../src/platform/db/scope.ts';
import { runningUrl } from '../src/platform/embedded-postgres/index.ts';

type Findings = Awaited<ReturnType<typeof readFindings>>;

async function look(): Promise<Findings> {
  const config = readConfig(process.env, MODULE_SETTINGS);
  const url = config.DATABASE_URL ?? runningUrl(config.DATA_DIR);
  const pool = createPool({ url, max: 1, name: 'audit', log: pino({ level: 'silent' }), longWork: true });
  try {
    return await readFindings(createWithSystem(pool, ['ledger-audit']));
  } finally {
    await pool.end();
  }
}

function report(findings: Findings): string[] {
  const lines = findings.flatMap(({ id, title, violations, examples }) => [
    `${id}  ${violations === 0 ? 'holds   ' : 'BROKEN  '}  ${title}`,
    ...examples.map(
      ({ seller_id, subject, found }) => `       ${seller_id ?? 'all sellers'}  ${subject}: ${found}`,
    ),
    ...(violations > examples.length ? [`       and ${violations - examples.length} more`] : []),
  ]);
  const broken = findings.filter(({ violations }) => violations > 0).length;
  return [
    ...lines,
    broken === 0 ? `All ${findings.length} hold.` : `${broken} of ${findings.length} do not hold.`,
  ];
}

try {
  const findings = await look();
  console.log(report(findings).join('\n'));
  process.exitCode = findings.some(({ violations }) => violations > 0) ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
