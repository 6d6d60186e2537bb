/**
 * Any listings of a file, in any order, are imported after the whole file: every accepted row is unchanged, and no
 * product changes (docs/design/feeds-and-imports.md#matching).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import { aLine, SHAPES } from '../../../../../test/support/feed-files.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  type Sending,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

const send = (seller: TestSeller, file: string, sending: Sending) =>
  feed<Run & FeedFailure>(seller, file, sending);
const outcomesOf = ({ body }: Awaited<ReturnType<typeof send>>): string[] =>
  body.row_results.map(({ outcome }) => outcome);

test.each(Object.entries(SHAPES))(
  'any part of a file, imported after the whole, changes nothing: %s',
  async (_name, { sending, product, file, sorted = (lines) => lines }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(aLine, {
          minLength: 2,
          maxLength: 9,
          selector: ({ name, option }) => `${name}${option}`,
        }),
        fc.boolean(),
        fc.boolean(),
        fc.infiniteStream(fc.nat(1000)),
        async (lines, known, previewed, chance) => {
          const seller = await app.seller({ plan: 'Big' });
          if (known) await applied(seller, csv([goods('X-1')]));
          const whole = await send(seller, file(lines), {
            ...sending,
            ...(previewed ? { query: 'dry_run=true' } : {}),
          });
          if (previewed && whole.status === 201) {
            const path = `/products/feed-runs/${whole.body.run_id}/commit`;
            expect((await seller.call('POST', path)).status).toBe(201);
          }
          const rejected = new Set(
            sorted(lines).filter((_, index) => outcomesOf(whole)[index] === 'rejected'),
          );
          const before = await catalogueOf(seller);
          // A row that its file rejected may name the product that no file has imported.
          const sent = lines.filter((line) => !(known && line.sku === 'X-1' && rejected.has(line)));
          for (let turn = 0; turn < 3; turn += 1) {
            const part = [...Map.groupBy(sent, product).values()]
              .map((group) => ({ group, at: chance.next().value ?? 0 }))
              .filter(({ at }) => at % 3 > 0)
              .toSorted((one, other) => one.at - other.at)
              .flatMap(({ group }) => group);
            if (part.length === 0) continue;
            const answer = await send(seller, file(part), sending);
            // A row that the file rejected with an earlier row may be accepted without it, as a new product.
            for (const [index, line] of sorted(part).entries())
              if (!rejected.has(line)) expect(outcomesOf(answer)[index]).toBe('unchanged');
            const after = await catalogueOf(seller);
            for (const [name, one] of before) expect(after.get(name)).toEqual(one);
          }
        },
      ),
      { numRuns: 12 },
    );
  },
  240_000,
);

test('corrected rows of a store, sent alone, change only what their keys name', async () => {
  const shape = SHAPES['store_platform_products'];
  if (shape === undefined) throw new Error('no shape');
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(aLine, {
        minLength: 2,
        maxLength: 9,
        selector: ({ name, option }) => `${name}${option}`,
      }),
      async (lines) => {
        const seller = await app.seller({ plan: 'Big' });
        await send(seller, shape.file(lines), shape.sending);
        const before = await catalogueOf(seller);
        const wrong = lines
          .filter(({ price }) => price === 'WRONG')
          .map((line) => ({ ...line, price: '9.00' }));
        if (wrong.length === 0) return;
        await send(seller, shape.file(wrong), shape.sending);
        const after = await catalogueOf(seller);
        for (const [name, product] of before) expect(after.get(name)).toEqual(product);
      },
    ),
    { numRuns: 15 },
  );
}, 240_000);
