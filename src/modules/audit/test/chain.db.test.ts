import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner, logOf, type StoredEntry } from '../../../../test/support/audit.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { create } from '../../../../test/support/products.ts';

const START = '2026-07-01T01:00:00Z';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START, AUDIT_RETENTION_DAYS: '30' });
const SCRIPT = fileURLToPath(new URL('../../../../scripts/verify-audit.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'spp-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Waits until all entries of a seller are sealed. */
const sealed = (seller: TestSeller): Promise<StoredEntry[]> =>
  eventually(
    () => logOf(app, seller),
    (log) => log.length > 0 && log.every(({ seq }) => seq !== null),
  );
const setClock = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });

interface Verified {
  readonly from_seq: number;
  readonly to_seq: number;
  readonly anchor_hash: string;
  readonly head_hash: string;
  readonly valid: boolean;
  readonly first_break: number | null;
}
/** Verifies again within the hour. */
async function verify(seller: TestSeller): Promise<Verified> {
  await asOwner(app, 'update audit_head set verified_at = null where seller_id = $1', [seller.seller_id]);
  const { status, body, text } = await seller.call<Verified>('GET', '/audit/verification');
  if (status !== 200) throw new Error(text);
  return body;
}

async function exported(seller: TestSeller, query = ''): Promise<string> {
  await sealed(seller);
  const file = join(folder, `${seller.seller_id}.jsonl`);
  writeFileSync(file, (await seller.call('GET', `/audit/export?format=jsonl${query}`)).text);
  return file;
}
function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, says: stdout + stderr };
}

/** Runs a statement with the triggers off, as only an operator of the database can. */
async function tamper(text: string, values: unknown[]): Promise<void> {
  await asOwner(app, 'alter table audit_entry disable trigger audit_entry_guard');
  await asOwner(app, text, values);
  await asOwner(app, 'alter table audit_entry enable trigger audit_entry_guard');
}

test('after fifty concurrent writers the numbers have no gap, and the chain verifies online and offline', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await Promise.all(Array.from({ length: 50 }, () => create(seller)));
  const log = await sealed(seller);
  const numbers = log.map(({ seq }) => Number(seq)).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: log.length }, (_, index) => index + 1));
  expect(log.length).toBeGreaterThan(50);
  const head = log.find(({ seq }) => Number(seq) === log.length);
  expect(await verify(seller)).toMatchObject({
    from_seq: 1,
    to_seq: log.length,
    anchor_hash: '0'.repeat(64),
    head_hash: head?.hash,
    valid: true,
    first_break: null,
  });
  const again = await seller.call('GET', '/audit/verification');
  expect([again.status, again.headers.get('retry-after')]).toEqual([429, '3600']);
  const file = await exported(seller);
  expect(check(file)).toEqual({
    status: 0,
    says: expect.stringMatching(/^The chain is whole from entry 1 to entry \d+, [0-9a-f]{64}\.\n$/),
  });
});

describe('a change in the database is found', async () => {
  const seller = await app.seller({ plan: 'Big' });
  for (let index = 0; index < 6; index += 1) await create(seller);
  const by = [seller.seller_id];
  const { length } = await sealed(seller);

  test('a changed value, named by its number', async () => {
    await tamper("update audit_entry set roles = '{viewer}' where seller_id = $1 and seq = 4", by);
    expect(await verify(seller)).toMatchObject({ valid: false, first_break: 4 });
    expect(check(await exported(seller))).toEqual({
      status: 1,
      says: 'Entry 4 was changed or is missing.\n',
    });
    await tamper("update audit_entry set roles = '{owner}' where seller_id = $1 and seq = 4", by);
    expect(await verify(seller)).toMatchObject({ valid: true });
  });

  test('another value in any column, and two entries that changed places', async () => {
    const where = 'where seller_id = $1 and seq in (4, 1004)';
    const [kept] = await asOwner<{ row: object }>(
      app,
      `select to_jsonb(e) as row from audit_entry e ${where}`,
      by,
    );
    const columns = await asOwner<{ name: string; type: string }>(
      app,
      `select column_name as name, data_type as type from information_schema.columns
        where table_name = 'audit_entry' and column_name <> 'seller_id'`,
      [],
    );
    const others: Readonly<Record<string, string>> = {
      ARRAY: "'{x}'",
      jsonb: `'{"x":1}'`,
      bigint: '1004',
      integer: '418',
      text: "'x'",
      'timestamp with time zone': "at + interval '1 millisecond'",
    };
    const missed: string[] = [];
    for (const { name, type } of columns) {
      const other = name === 'result' ? "'refused'" : (others[type] ?? "'x'");
      await tamper(`update audit_entry set ${name} = ${other} ${where}`, by);
      const { valid } = await verify(seller);
      if (valid) missed.push(name);
      await tamper(
        `update audit_entry set ${name} = (jsonb_populate_record(null::audit_entry, $2)).${name} ${where}`,
        [...by, JSON.stringify(kept?.row)],
      );
    }
    expect([missed, columns.length]).toEqual([[], 20]);
    expect(await verify(seller)).toMatchObject({ valid: true });
    for (const [from, to] of [
      [3, 1003],
      [4, 3],
      [1003, 4],
    ])
      await tamper(`update audit_entry set seq = ${to} where seller_id = $1 and seq = ${from}`, by);
    expect(await verify(seller)).toMatchObject({ valid: false, first_break: 3 });
    for (const [from, to] of [
      [4, 1003],
      [3, 4],
      [1003, 3],
    ])
      await tamper(`update audit_entry set seq = ${to} where seller_id = $1 and seq = ${from}`, by);
    expect(await verify(seller)).toMatchObject({ valid: true });
  });

  test('a cut tail, which contradicts the checkpoint', async () => {
    await setClock('2026-07-02T01:00:00Z');
    const told = await eventually(
      async () => {
        const fresh = await seller.renew();
        const { body } = await fresh.call<{ data: { data: { object: { seq: number; hash: string } } }[] }>(
          'GET',
          '/webhooks/events?types=audit.checkpoint',
        );
        return body.data.at(-1)?.data.object ?? { seq: 0, hash: '' };
      },
      ({ seq: end }) => end >= length,
    );
    const { seq, hash } = told;
    const fresh = await seller.renew();
    const file = await exported(fresh);
    expect(check(file, `${seq}:${hash}`).status).toBe(0);
    expect(check(file, `${seq}:${'0'.repeat(64)}`)).toMatchObject({ status: 1 });
    await sealed(fresh);
    await tamper('delete from audit_entry where seller_id = $1 and seq > 3', by);
    expect(await verify(fresh)).toMatchObject({ valid: false, first_break: 4 });
    await asOwner(
      app,
      'update audit_head h set seq = e.seq, hash = e.hash from audit_entry e where h.seller_id = $1 and e.seller_id = $1 and e.seq = 3',
      by,
    );
    expect(await verify(fresh)).toMatchObject({ valid: true, to_seq: 3 });
    const cut = join(folder, 'cut.jsonl');
    writeFileSync(
      cut,
      (await fresh.call('GET', '/audit/export?format=jsonl')).text.split('\n').slice(0, 3).join('\n'),
    );
    expect(check(cut, `${seq}:${hash}`)).toEqual({
      status: 1,
      says: `The log ends with entry 3, but your checkpoint names entry ${seq}.\n`,
    });
  });

  test('a deleted entry in the middle', async () => {
    await tamper('delete from audit_entry where seller_id = $1 and seq = 2', by);
    expect(await verify(await seller.renew())).toMatchObject({ valid: false, first_break: 2 });
  });
});

test('the roles of the service can neither change nor delete an entry, nor seal it twice', async () => {
  const seller = await app.seller();
  await sealed(seller);
  const { withSystem, withSeller } = app.app.services;
  const attempts = [
    "update audit_entry set result = 'refused' where seller_id = $1",
    'update audit_entry set hash = prev_hash where seller_id = $1',
    'update audit_entry set seq = null, prev_hash = null, hash = null where seller_id = $1',
    'delete from audit_entry where seller_id = $1',
  ];
  const denied = /permission denied/;
  for (const text of attempts) {
    const statement = { text, values: [seller.seller_id] };
    const refusal = /an entry of the activity log/;
    await expect(withSystem('retention', 'write', (db) => db.run(statement))).rejects.toThrow(refusal);
    await expect(withSeller(seller.seller_id, 'write', (db) => db.run(statement))).rejects.toThrow(denied);
  }
  for (const text of [
    'update audit_head set seq = 0 where seller_id = $1',
    'delete from audit_head where seller_id = $1',
    "insert into audit_head (seller_id, seq, hash) values ($1, 99, 'x')",
    'insert into audit_head (seller_id, anchor_seq) values ($1, 99)',
  ])
    await expect(
      withSeller(seller.seller_id, 'write', (db) => db.run({ text, values: [seller.seller_id] })),
    ).rejects.toThrow(denied);
});

test('an entry is written unsealed, and not even the owner of the database truncates the log', async () => {
  const { seller_id } = await app.seller();
  const { withSeller } = app.app.services;
  const columns = { seq: '9', prev_hash: "'x'", hash: "'x'" };
  for (const [column, value] of Object.entries(columns)) {
    const text = `insert into audit_entry (seller_id, audit_id, at, actor_kind, action, result, ${column})
      values ($1, 'aud_${column}', now(), 'member', 'x', 'done', ${value})`;
    await expect(
      withSeller(seller_id, 'write', (db) => db.run({ text, values: [seller_id] })),
    ).rejects.toThrow(/sealed only by the sealer/);
  }
  await expect(asOwner(app, 'truncate audit_entry')).rejects.toThrow(/deleted only by the retention/);
});

test('old entries are deleted from the beginning, and the chain verifies from the anchor', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await create(seller);
  const old = await sealed(seller);
  await setClock(new Date(app.app.services.now() + 20 * 86_400_000).toISOString());
  const later = await seller.renew();
  await create(later);
  await sealed(later);
  await setClock(new Date(app.app.services.now() + 15 * 86_400_000).toISOString());
  const last = await seller.renew();
  const kept = await eventually(
    () => logOf(app, seller),
    (log) => log.every(({ seq }) => seq === null || Number(seq) > old.length),
  );
  expect(kept.map(({ action }) => action)).toContain('products.create');
  await sealed(last);
  const anchor = old.find(({ seq }) => Number(seq) === old.length);
  expect(await verify(last)).toMatchObject({
    from_seq: old.length + 1,
    anchor_hash: anchor?.hash,
    valid: true,
  });
  expect(check(await exported(last)).status).toBe(0);
  const from = new Date(app.app.services.now()).toISOString();
  const part = await exported(last, `&from=${from}&to=2099-01-01T00:00:00Z`);
  expect(check(part).status).toBe(0);
  const [first] = readFileSync(part, 'utf8').split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ at: from, action: 'auth.exchange' });
});
