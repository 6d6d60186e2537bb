/** Importing a file a second time changes nothing (docs/design/feeds-and-imports.md#import-profiles). */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { detect, openFixture, openPath } from '../../../../../test/fixtures/profiles/profile-files.ts';
import { Catalogue, importRows } from '../../test/import-rows.ts';
import type { FeedRow } from '../row.ts';
import type { OpenFile } from './detection/dialects.ts';
import { mapFile } from './profiles.ts';

const SAMPLES = new URL('../../../../../../shared/samples/', import.meta.url).pathname;
const FIXTURES = new URL('../../../../../test/fixtures/profiles/', import.meta.url).pathname;

/** The outcomes of three imports of one file. */
interface Outcomes {
  readonly first: string[];
  readonly again: string[];
  /** The import of every other accepted row, from the last row to the first. */
  readonly part: string[];
}

/** Rows with these outcomes write no product. */
const WITHOUT_PRODUCT = ['merged', 'ignored', 'rejected'];

async function outcomes(open: OpenFile): Promise<Outcomes | null> {
  const guess = await detect(open);
  const { file } = guess;
  if (file === null) return null;
  const currency = guess.answer.currency ?? 'AUD';
  const context = { seller_currency: currency, on_second_header: 'keep' } as const;
  const rows = (await Array.fromAsync(mapFile(open, file, context))).flat();
  const catalogue = new Catalogue();
  const send = (some: readonly FeedRow[]) => importRows(some, catalogue, file.profile, currency);
  const first = send(rows);
  const accepted = rows.filter((_, index) => !WITHOUT_PRODUCT.includes(first[index] ?? ''));
  const part = send(accepted.filter((_, index) => index % 2 === 1).toReversed());
  return { first, again: send(rows), part };
}

function expectNoChange(result: Outcomes | null): void {
  if (result === null) return;
  const { first, again, part } = result;
  expect(part).toEqual(part.map(() => 'unchanged'));
  expect(again).toEqual(first.map((outcome) => (WITHOUT_PRODUCT.includes(outcome) ? outcome : 'unchanged')));
}

describe('importing the same file again', () => {
  it.each(readdirSync(FIXTURES).filter((name) => /\.(?:csv|txt)$/.test(name)))(
    'changes nothing: %s',
    async (name) => {
      expectNoChange(await outcomes(openFixture(name)));
    },
  );

  it('makes the products of the file in the first import', async () => {
    const result = await outcomes(openFixture('store-generation-a.csv'));
    expect(result?.first).toEqual(['created', 'created', 'merged', 'created', 'created', 'staged']);
  });
});

describe.skipIf(!existsSync(SAMPLES))('importing the same real file again', () => {
  const files = existsSync(SAMPLES) ? readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }) : [];
  it.each(files.filter((name) => /\.(?:csv|txt)$/.test(name)))('changes nothing: %s', async (name) => {
    expectNoChange(await outcomes(openPath(SAMPLES + name)));
  });
});
