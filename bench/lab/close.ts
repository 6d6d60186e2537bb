/** Closes settlements like the worker's job, with its code, scope and kind of pool, and measures the time. */

import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { closesAt } from '../../src/kernel/australia/settlement-period.ts';
import { createIds } from '../../src/kernel/ids.ts';
import { issueInvoices } from '../../src/modules/invoices/index.ts';
import { closeNext } from '../../src/modules/settlements/actions/close-settlements.ts';
import { policyOf } from '../../src/modules/settlements/actions/policy.ts';
import { openPeriodOf } from '../../src/modules/settlements/domain/settlement.ts';
import { statementStates } from '../../src/modules/settlements/store/lines.ts';
import { MODULE_SETTINGS } from '../../src/modules.ts';
import { acting } from '../../src/platform/acting.ts';
import { createSecrets } from '../../src/platform/crypto/secrets.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createWithSeller } from '../../src/platform/db/scope.ts';
import { createJobs } from '../../src/platform/jobs/jobs.ts';
import { milliseconds } from './statistics.ts';

const TIMEOUT_MS = 600_000;

interface Closed {
  readonly settlementId: string;
  readonly ms: number;
}

interface Closer {
  /** Whether its first open period is over. */
  isDue(sellerId: string): Promise<boolean>;
  /** Closes the first open period, as of the night after it. */
  next(sellerId: string): Promise<Closed>;
  stop(): Promise<void>;
}

/** @param url a login that may switch to the runtime roles; each scope switches, so row-level security applies */
export function openCloser(url: string): Closer {
  const log = pino({ level: 'silent' });
  const pool = createPool({ url, max: 1, name: 'bench-close', log, longWork: true });
  const withSeller = createWithSeller(pool);
  // Without the operator's name no invoice file is rendered during other measurements.
  const config = { ...readConfig({ APP_ENV: 'development' }, MODULE_SETTINGS), APP_ENV: 'staging' as const };
  const policy = policyOf({ config });
  /** The first open period, and when it is closed. */
  async function open(sellerId: string) {
    const [state] = await withSeller(sellerId, 'read', (db) => statementStates({ db, seller_id: sellerId }));
    if (state === undefined) throw new Error('the ledger has no line');
    return { currency: state.currency, at: closesAt(openPeriodOf(state, policy.schedule)) };
  }
  return {
    isDue: async (sellerId) => (await open(sellerId)).at <= Date.now(),
    async next(sellerId) {
      const { currency, at } = await open(sellerId);
      const now = () => at;
      const ids = createIds(now);
      const secrets = createSecrets([Buffer.alloc(32)]);
      const withSystem = () => Promise.reject(new Error('no job runs here'));
      const jobs = createJobs({ withSystem, ids, now, systemNow: now, log });
      let settlementId = '';
      const ms = await milliseconds(async () => {
        const closed = await withSeller(
          sellerId,
          'write',
          (db) =>
            closeNext(
              acting(
                { ids, config, jobs, now, secrets, checkEvents: undefined },
                { db, seller_id: sellerId },
              ),
              policy,
              currency,
              issueInvoices,
            ),
          { statementTimeoutMs: TIMEOUT_MS, lockTimeoutMs: TIMEOUT_MS },
        );
        settlementId = closed?.settlement_id ?? '';
      });
      return { settlementId, ms };
    },
    stop: () => pool.end(),
  };
}
