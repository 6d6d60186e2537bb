/** Checks the money of all sellers against what must hold of it. */
import type { WithSystem } from '../../../platform/db/scope.ts';
import type { Services } from '../../../platform/services.ts';
import { checkInvariants, type Finding, recordFindings } from '../store/invariants.ts';

/** Each statement reads the whole ledger once. */
const STATEMENT_TIMEOUT_MS = 1_800_000;

/**
 * Looks at everything in one snapshot, and changes nothing.
 *
 * @returns what was found of each invariant, in the order of their numbers
 */
export const readFindings = (withSystem: WithSystem): Promise<Finding[]> =>
  withSystem('ledger-audit', 'snapshot', checkInvariants, { statementTimeoutMs: STATEMENT_TIMEOUT_MS });

/** The same, kept for the metrics and said in the log. */
export async function auditLedger({
  longSystem,
  withSystem,
  now,
  log,
}: Pick<Services, 'longSystem' | 'withSystem' | 'now' | 'log'>): Promise<Finding[]> {
  const at = new Date(now()).toISOString();
  const findings = await readFindings(longSystem);
  await withSystem('ledger-audit', 'write', (db) => recordFindings(db, findings, at));
  const broken = findings.filter(({ violations }) => violations > 0);
  for (const { id, title, violations, examples } of broken)
    log.error({ invariant: id, violations, examples }, `the ledger contradicts: ${title}`);
  log.info({ checked: findings.length, broken: broken.length }, 'ledger checked');
  return findings;
}
