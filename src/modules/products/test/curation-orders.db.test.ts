/** Decisions and changes in any order: buyers see only what an approval named. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { create } from '../../../../test/support/products.ts';

const RUNS = 30;
const TIMEOUT_MS = 120_000;
const app = await startTestApp();
const seller = await app.seller({ plan: 'Big' });

interface Product {
  readonly title: string;
  readonly version: number;
  readonly visible: boolean;
  readonly curation: { readonly state: string };
  readonly live: { readonly title: string; readonly version: number } | null;
}

interface Decision {
  readonly decision: string;
  readonly version: number;
  /** Whether `objectversion` names the version, and not `reviewed_version`. */
  readonly byObject: boolean;
}

const start = app.app.services.now() + 3_600_000;
const read = async (id: string) => (await seller.call<Product>('GET', `/products/${id}`)).body;
const change = (id: string, json: object) => seller.call('PATCH', `/products/${id}`, { json });

async function deliver(id: string, { decision, version, byObject }: Decision, second: number) {
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.product.curation_decided',
    subject: id,
    sellerid: seller.seller_id,
    time: new Date(start + second * 1_000).toISOString(),
    ...(byObject ? { objectversion: String(version) } : {}),
    data: byObject ? { decision } : { decision, reviewed_version: version },
  });
  return result?.status;
}

const decisionOf = fc.constantFrom('approved', 'approved', 'rejected', 'suspended');
const step = fc.oneof(
  fc.record({ title: fc.constantFrom('A', 'B', 'C', 'D') }),
  fc.record({ price_minor: fc.integer({ min: 1, max: 999 }) }),
  fc.record({
    decision: decisionOf,
    /** How many versions before the present one. */
    back: fc.integer({ min: 0, max: 6 }),
    byObject: fc.boolean(),
    second: fc.integer({ min: 0, max: 20 }),
  }),
);

/** Chance alone may end no content. */
const decidedAt = (decision: 'approved' | 'rejected', second: number) => ({
  decision,
  back: 0,
  byObject: false,
  second,
});

/** A decision that is delivered twice counts once. */
test('buyers see only content that an approval named, until a rejection names it', {
  timeout: TIMEOUT_MS,
}, async () => {
  let [shown, ended] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const { product_id: id } = await create(seller, { title: 'A' });
      const titles = new Map([[1, 'A']]);
      const approved = new Set<string>();
      let newest = -1;
      for (const one of steps) {
        const { version } = await read(id);
        if (!('decision' in one)) await change(id, one);
        else {
          const named = Math.max(1, version - one.back);
          const title = titles.get(named) ?? '';
          const before = await read(id);
          const status = await deliver(id, { ...one, version: named }, one.second);
          if (!one.byObject && one.second > newest) expect(status).toBe('applied');
          newest = Math.max(newest, one.second);
          if (status === 'applied' && one.decision === 'approved') approved.add(title);
          if (status === 'applied' && one.decision === 'rejected') {
            expect((await read(id)).live?.title).not.toBe(title);
            if (before.live?.title === title) ended += 1;
          }
          const after = await read(id);
          expect(await deliver(id, { ...one, version: named }, one.second)).toBe(status);
          expect({ ...(await read(id)), updated_at: null }).toEqual({ ...after, updated_at: null });
        }
        const product = await read(id);
        for (let number = version + 1; number <= product.version; number++) titles.set(number, product.title);
        expect(product.visible).toBe(product.live !== null);
        if (product.curation.state === 'approved') expect(product.live?.title).toBe(product.title);
        if (product.live === null) continue;
        shown += 1;
        expect(approved).toContain(product.live.title);
        expect(titles.get(product.live.version)).toBe(product.live.title);
      }
    }),
    { numRuns: RUNS, examples: [[[decidedAt('approved', 1), decidedAt('rejected', 2)]]] },
  );
  expect(shown).toBeGreaterThan(RUNS);
  expect(ended).toBeGreaterThan(0);
});

/** One version each, with its decision, and whether it arrives before the next change. */
const version = fc.record({
  decision: fc.constantFrom('approved', 'rejected', 'none'),
  early: fc.boolean(),
  byObject: fc.boolean(),
});
const versions = fc.array(version, { minLength: 1, maxLength: 6 }).chain((list) =>
  fc.record({
    list: fc.constant(list),
    order: fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
  }),
);

test('the newest approved version is live for any order of the events', {
  timeout: TIMEOUT_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(versions, async ({ list, order }) => {
      const { product_id: id } = await create(seller, { title: 'Title 0' });
      const numbers: number[] = [];
      const send = async (index: number): Promise<void> => {
        const { decision = 'none', byObject = false } = list[index] ?? {};
        if (decision === 'none') return;
        const named = { decision, version: numbers[index] ?? 0, byObject };
        expect(await deliver(id, named, index)).not.toBe('rejected');
      };
      for (const [index, { early }] of list.entries()) {
        if (index > 0) await change(id, { title: `Title ${index}` });
        numbers.push((await read(id)).version);
        if (early) await send(index);
      }
      for (const index of order) if (!list[index]?.early) await send(index);
      const newest = list.findLastIndex(({ decision }) => decision === 'approved');
      const last = list.at(-1)?.decision;
      const { live, curation } = await read(id);
      expect(live?.title).toBe(newest < 0 ? undefined : `Title ${newest}`);
      expect(live?.version).toBe(newest < 0 ? undefined : numbers[newest]);
      expect(curation.state).toBe(last === 'none' ? 'pending' : last);
    }),
    { numRuns: RUNS },
  );
});

const decide = (id: string, decision: string, about: number, second: number) =>
  deliver(id, { decision, version: about, byObject: false }, second);

test.each(['first', 'present'])('a rejection of the %s version takes its content off sale', async (named) => {
  const { product_id: id } = await create(seller, { title: 'One' });
  await decide(id, 'approved', 1, 1);
  const back = async () => {
    await change(id, { title: 'Two' });
    await change(id, { title: 'One' });
    return (await read(id)).version;
  };
  const present = await back();
  expect(await decide(id, 'rejected', 3, 2)).toBe('applied');
  expect((await read(id)).live).toMatchObject({ title: 'One', version: present });
  expect(await decide(id, 'rejected', named === 'first' ? 1 : present, 4)).toBe('applied');
  const rejected = { curation: { state: 'rejected' }, visible: false, live: null };
  expect(await read(id)).toMatchObject(rejected);
  for (const about of [1, present]) expect(await decide(id, 'approved', about, 3)).toBe('stale');
  expect(await read(id)).toMatchObject(rejected);
  const again = await back();
  expect(await decide(id, 'approved', 1, 5)).toBe('applied');
  expect(await read(id)).toMatchObject({ visible: true, live: { title: 'One', version: again } });
});

test('a rejection of the live version arrives after more changes than are kept', async () => {
  const { product_id: id } = await create(seller, { title: 'One' });
  await decide(id, 'approved', 1, 1);
  for (let number = 3; number <= 24; number++) await change(id, { title: `Title ${number}` });
  expect((await read(id)).live).toMatchObject({ title: 'One', version: 1 });
  expect(await decide(id, 'rejected', 1, 2)).toBe('applied');
  expect(await read(id)).toMatchObject({ visible: false, live: null });
});
