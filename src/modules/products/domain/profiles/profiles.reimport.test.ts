/**
 * A file planned against the catalogue that it made itself changes nothing
 * (docs/design/feeds-and-imports.md#import-profiles).
 */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  detect,
  mapDetected,
  openFixture,
  openPath,
} from '../../../../../test/fixtures/profiles/profile-files.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import { type FoundProducts, lookupKeys, matchRow } from '../match-row.ts';
import { planContext } from '../plan/plan-fixtures.ts';
import { planRow } from '../plan-row.ts';
import type { CatalogueProduct } from '../product.ts';
import type { FeedRow } from '../row.ts';
import { hasError } from '../row-codes.ts';
import type { OpenFile } from './detection/dialects.ts';
import type { ProfileName } from './profile.ts';

const SAMPLES = new URL('../../../../../../shared/samples/', import.meta.url).pathname;
const FIXTURES = new URL('../../../../../test/fixtures/profiles/', import.meta.url).pathname;

/** A catalogue in memory, found by SKU and by key. */
class Catalogue implements FoundProducts {
  private readonly bySkus = new Map<string, CatalogueProduct>();
  private readonly byKeys = new Map<string, CatalogueProduct>();

  write(product: CatalogueProduct): void {
    if (product.seller_sku !== null) this.bySkus.set(product.seller_sku, product);
    if (product.external_key !== null) this.byKeys.set(product.external_key, product);
  }

  bySku(sku: string) {
    return this.bySkus.get(sku);
  }

  byExternalKey(key: string) {
    return this.byKeys.get(key);
  }

  byProductId() {
    return undefined;
  }

  byGtin() {
    return [];
  }

  byMpnBrand() {
    return [];
  }
}

/** Plans every row as an import does; the outcomes in file order. */
function importRows(
  rows: readonly FeedRow[],
  catalogue: Catalogue,
  profile: ProfileName,
  currency: string,
): string[] {
  const context = planContext({ profile, currency, remaining_slots: 1_000_000 });
  return rows.map((row) => {
    const valid = row.patch === null ? null : validatePatch(row.patch);
    const messages = [...row.messages, ...(valid?.messages ?? [])];
    const input = { ...row, patch: valid?.patch ?? null, messages };
    const keys = lookupKeys(valid?.patch ?? {});
    const { existing, match } = matchRow(keys, catalogue);
    const plan = planRow(existing, input, context, match);
    if (plan.next !== null) catalogue.write(plan.next);
    expect(hasError(plan.messages)).toBe(plan.outcome === 'rejected');
    return plan.outcome;
  });
}

async function outcomes(open: OpenFile): Promise<{ first: string[]; again: string[] } | null> {
  const guess = await detect(open);
  if (guess.file === null) return null;
  const currency = guess.answer.currency ?? 'AUD';
  const context = { seller_currency: currency, on_second_header: 'keep' } as const;
  const rows = await mapDetected(open, guess, context);
  const catalogue = new Catalogue();
  const first = importRows(rows, catalogue, guess.file.profile, currency);
  return { first, again: importRows(rows, catalogue, guess.file.profile, currency) };
}

function expectSettled(result: { first: string[]; again: string[] } | null): void {
  if (result === null) return;
  const { first, again } = result;
  const passed = ['merged', 'ignored', 'rejected'];
  expect(again).toEqual(first.map((outcome) => (passed.includes(outcome) ? outcome : 'unchanged')));
}

describe('importing the same file again', () => {
  it.each(readdirSync(FIXTURES).filter((name) => /\.(?:csv|txt)$/.test(name)))(
    'changes nothing: %s',
    async (name) => {
      expectSettled(await outcomes(openFixture(name)));
    },
  );

  it('still makes the products that a file can make, the first time', async () => {
    const result = await outcomes(openFixture('store-generation-a.csv'));
    expect(result?.first).toEqual(['created', 'created', 'merged', 'created', 'created', 'staged']);
  });
});

describe.skipIf(!existsSync(SAMPLES))('importing the same real file again', () => {
  const files = existsSync(SAMPLES) ? readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }) : [];
  it.each(files.filter((name) => /\.(?:csv|txt)$/.test(name)))('changes nothing: %s', async (name) => {
    expectSettled(await outcomes(openPath(SAMPLES + name)));
  });
});
