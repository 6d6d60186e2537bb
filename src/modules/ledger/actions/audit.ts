/** Checks the money of all sellers against the invariants of all modules. */
import type { WithSystem } from '../../../platform/db/scope.ts';
import type { Services } from '../../../platform/services.ts';
import { checkInvariants, type Finding, type Invariant, recordFindings } from '../store/invariants.ts';
import { LEDGER_INVARIANTS } from '../store/ledger-invariants.ts';

/** Each query reads the whole ledger once. */
const STATEMENT_TIMEOUT_MS = 1_800_000;

interface Audit {
  readonly invariants: readonly Invariant[];
  /** Checks all invariants in one snapshot. @returns one finding for each, by number */
  readonly readFindings: (withSystem: WithSystem) => Promise<Finding[]>;
  /** Does the same, stores the findings for the metrics and logs the violations. */
  readonly run: (
    services: Pick<Services, 'withSystemLong' | 'withSystem' | 'now' | 'log'>,
  ) => Promise<Finding[]>;
}

/** @param others the invariants of the modules that build on the ledger */
export function createAudit(others: readonly Invariant[]): Audit {
  const invariants = [...LEDGER_INVARIANTS, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
  const readFindings = (withSystem: WithSystem): Promise<Finding[]> =>
    withSystem('ledger-audit', 'snapshot', (db) => checkInvariants(db, invariants), {
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
  return {
    invariants,
    readFindings,
    async run({ withSystemLong, withSystem, now, log }) {
      const at = new Date(now()).toISOString();
      const findings = await readFindings(withSystemLong);
      await withSystem('ledger-audit', 'write', (db) => recordFindings(db, findings, at));
      const broken = findings.filter(({ violations }) => violations > 0);
      for (const { id, title, violations, examples } of broken)
        log.error({ invariant: id, violations, examples }, `invariant violated: ${title}`);
      log.info({ checked: findings.length, broken: broken.length }, 'ledger audited');
      return findings;
    },
  };
}
