/** `kill -9` while requests write: each effect that was committed has its entry, and each entry its effect. */
import { expect, test } from 'vitest';
import { prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const WRITERS = 8;
/** Products that are written before each kill. */
const BEFORE_KILL = 40;
const KILLS = 3;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const count = (text: string): Promise<number> =>
  runOn(database.adminUrl, async (client) => (await client.query<{ n: number }>(text)).rows[0]?.n ?? -1);

test(`products and their entries agree after ${KILLS} kills`, async () => {
  let serial = 0;
  let token = '';
  for (let kill = 0; kill < KILLS; kill += 1) {
    const member = await cluster.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' });
    if (token === '') ({ token } = await cluster.seller(member, 'Big'));
    let written = 0;
    let isAlive = true;
    const write = async (): Promise<void> => {
      while (isAlive) {
        serial += 1;
        const body = JSON.stringify({ seller_sku: `KILL-${serial}`, status: 'draft' });
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${member.api}/products`, { method: 'POST', headers, body }).catch(
          () => undefined,
        );
        if (answer?.status === 201) written += 1;
        else if (answer !== undefined) throw new Error(await answer.text());
        if (written >= BEFORE_KILL && isAlive) {
          isAlive = false;
          await member.end('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }
  const products = await count('select count(*)::int as n from product');
  expect(products).toBeGreaterThanOrEqual(KILLS * BEFORE_KILL);
  const ofProducts = "action = 'products.create' and result = 'done'";
  expect(await count(`select count(*)::int as n from audit_entry where ${ofProducts}`)).toBe(products);
  expect(
    await count(
      `select count(distinct target_id)::int as n from audit_entry e join product p on p.product_id = e.target_id where ${ofProducts}`,
    ),
  ).toBe(products);
  const member = await cluster.start({ LOG_LEVEL: 'warn' });
  const unsealed = () => count('select count(*)::int as n from audit_entry where seq is null');
  await expect.poll(unsealed, { timeout: 20_000 }).toBe(0);
  await member.end('SIGTERM');
}, 300_000);
