/** Statements on tables of sellers name the seller (docs/adr/0018-statements-name-the-seller.md). */
import { expect, test } from 'vitest';
import { statementsIn } from '../scripts/statement-templates.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../src/platform/db/migration-files.ts';
import { readSources } from './support/source-tree.ts';

const SCOPE = 'runs in a seller’s scope only, where the policy names the seller';
const ALL = 'reads or writes all sellers at once, in the system’s scope';
const KEY = 'names rows by ids that are unique over all sellers, in the system’s scope';

/** Files with statements that do not name the seller: how many, and why. The list only gets shorter. */
const EXCEPTIONS: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'src/marketplace/store/any-seller-exists.ts': [1, ALL],
  'src/marketplace/store/marketplace-events.ts': [1, KEY],
  'src/modules/ledger/store/invariants.ts': [2, ALL],
  'src/modules/customer_service/store/gauges.ts': [1, ALL],
  'src/modules/loyalty/store/fund.ts': [1, ALL],
  'src/modules/messages/store/threads.ts': [1, ALL],
  'src/modules/orders/store/gauges.ts': [1, ALL],
  'src/modules/quality/store/listings.ts': [1, 'the round of events that all sellers share'],
  'src/modules/reconciliation/store/provider-transactions.ts': [1, ALL],
  'src/modules/payouts/store/callbacks.ts': [
    3,
    'a callback is found by the provider’s ids; the seller is what its work finds out',
  ],
  'src/modules/webhooks/store/gauges.ts': [1, ALL],
  'src/modules/webhooks/store/leases.ts': [2, ALL],
  'src/modules/webhooks/store/retention.ts': [1, ALL],
  'src/platform/audit/gauges.ts': [1, ALL],
  'src/platform/files/file-lifetimes.ts': [
    2,
    'one runs in a seller’s scope only, the other covers all sellers',
  ],
  'src/platform/files/files.ts': [4, SCOPE],
  'src/platform/jobs/job-statements.ts': [18, KEY],
  'src/platform/log/metrics.ts': [2, ALL],
  'src/platform/outbox/sequence-statements.ts': [1, ALL],
};

const migrations = await readMigrations(MIGRATIONS_FOLDER);
/** Tables of sellers, and views of them. */
const relations = new Set(
  migrations.flatMap(({ text }) => [
    ...[...text.matchAll(/^create (?:unlogged )?table (\w+) \(([\s\S]*?)^\);/gm)].flatMap(
      ([, name = '', columns = '']) => (/\bseller_id\b/.test(columns) ? [name] : []),
    ),
    ...[...text.matchAll(/^create view (\w+)/gm)].map(([, name = '']) => name),
  ]),
);

/** Whether a statement reads or writes rows of sellers without naming the seller. */
function isNameless(statement: string, source: string): boolean {
  const names = [...statement.matchAll(/\b(?:from|join|into|update|only)\s+([a-z_]+)\b/gi)];
  if (!names.some(([, name = '']) => relations.has(name))) return false;
  if (/\bseller_id\b/.test(statement)) return false;
  // The whole condition is a part in this file that names the seller.
  const hasPart = /\bwhere \{\}/.test(statement);
  return !(hasPart && /\bseller_id = \$\{/.test(source));
}

test('statements that do not name the seller are known, with their reasons', () => {
  expect(relations.size).toBeGreaterThan(80);
  const found = readSources('src').flatMap(({ path, text, isTest }) => {
    const count = isTest ? 0 : statementsIn(text).filter((one) => isNameless(one, text)).length;
    return count === 0 ? [] : [[path, count] as const];
  });
  const known = Object.entries(EXCEPTIONS).map(([path, [count]]) => [path, count] as const);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
});
