/** Reads the provider's list of the platform's money, for the comparison with the ledger. */
import type { Services } from '../../../platform/services.ts';
import { dataThrough, takeReport } from '../../reconciliation/index.ts';
import type { PayoutProvider } from '../adapters/provider.ts';

/** The first list goes back so far. */
const FIRST_MS = 30 * 86_400_000;
/** A transaction may appear in the list a little after its own instant. */
const OVERLAP_MS = 2 * 3_600_000;

type Reporting = Pick<Services, 'now' | 'ids' | 'withSystemLong'>;

/** @throws ProviderUnavailable */
export async function reportTransactions(
  services: Reporting,
  { name, transactions }: Pick<PayoutProvider, 'name' | 'transactions'>,
): Promise<void> {
  if (transactions == null) return;
  const { now, withSystemLong } = services;
  const at = now();
  const known = await withSystemLong('jobs', 'read', (db) => dataThrough(db, name));
  const from = known === undefined ? at - FIRST_MS : Date.parse(known) - OVERLAP_MS;
  const rows = await transactions(new Date(from).toISOString());
  const report = { provider: name, data_through: new Date(at).toISOString(), transactions: rows };
  await withSystemLong('jobs', 'write', (db) => takeReport({ ...services, db }, report));
}
