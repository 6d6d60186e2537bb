import { describe, expect, it } from 'vitest';
import {
  AUD,
  codesOf,
  detect,
  mapAll,
  openFixture,
  openText,
  patchAt,
  roleOf,
  rowAt,
} from '../../../../test/fixtures/profiles/profile-files.ts';

const IMG = 'https://img.example/m';

describe('an English download', () => {
  const rows = mapAll(openFixture('handmade-au.csv'));

  it('maps a listing without variations', async () => {
    expect(rowAt(await rows, 1).messages).toEqual([]);
    expect(patchAt(await rows, 1)).toEqual({
      external_key: 'MUG-9',
      seller_sku: 'MUG-9',
      title: 'Clay Mug',
      description: 'Thrown by hand.\n\nDishwasher safe.',
      identity: { strategy: 'exempt', reason: 'handmade', source: 'file' },
      status: 'active',
      price_minor: 3850n,
      currency: 'AUD',
      quantity: 6,
      images: [{ url: 'https://img.example/m1.jpg' }, { url: 'https://img.example/m2.jpg' }],
      partial: { status: true },
      attributes: { tags: 'clay mug,gift for her', materials: 'Stoneware,Food safe glaze' },
    });
  });

  it('stages a listing without a SKU under its title and first picture', async () => {
    const row = rowAt(await rows, 2);
    expect(row.role).toBe('staged');
    expect(codesOf(row)).toEqual(['sku_required']);
    expect(row.patch?.external_key).toMatch(/^clay mug~[0-9a-f]{24}$/);
    const again = await mapAll(openFixture('handmade-au.csv'));
    expect(patchAt(again, 2)).toEqual(row.patch);
  });

  it('never splits stock or assigns SKUs of variations', async () => {
    const row = rowAt(await rows, 3);
    expect(row).toMatchObject({ role: 'staged', patch: { price_minor: 3000n } });
    expect(row.patch).not.toHaveProperty('quantity');
    expect(codesOf(row)).toEqual(['needs_variant_details']);
    expect(row.patch).not.toHaveProperty('seller_sku');
    expect(row.patch?.attributes).toEqual({
      variation_1_name: 'Primary colour',
      variation_1_values: 'Red,Blue',
      variation_2_name: 'Size',
      variation_2_values: 'S,M',
      variation_skus: 'B-1,B-2,B-3',
      variation_total_quantity: '40',
    });
  });

  it('rejects a listing in another currency', async () => {
    const row = rowAt(await rows, 4);
    expect(roleOf(row)).toBe('error');
    expect(row.messages).toMatchObject([
      { code: 'currency_mismatch', value_excerpt: 'USD', expected: 'AUD' },
    ]);
  });

  it('rejects a second listing with the same title and picture', async () => {
    expect(codesOf(rowAt(await rows, 5))).toContain('duplicate_in_file');
  });

  it('uses shop and SKU as brand and MPN only when the seller has chosen it', async () => {
    const handmade_identity = { strategy: 'mpn_brand', shop_name: 'Mud Works' } as const;
    const chosen = await mapAll(openFixture('handmade-au.csv'), { ...AUD, handmade_identity });
    expect(patchAt(chosen, 1).identity).toEqual({ strategy: 'mpn_brand', mpn: 'MUG-9', brand: 'Mud Works' });
    expect(patchAt(chosen, 2).identity).toMatchObject({ strategy: 'exempt', reason: 'handmade' });
  });
});

describe('other forms of the download', () => {
  it('reads a localised header by position, in UTF-16', async () => {
    const open = openFixture('handmade-de-utf16le.csv');
    const { answer } = await detect(open, { seller_currency: 'EUR' });
    expect(answer).toMatchObject({
      profile: 'handmade_listings',
      generation: 'localised',
      encoding: 'utf-16le',
      currency: 'EUR',
      columns: { missing: [], unknown: [] },
    });
    const rows = await mapAll(open, { seller_currency: 'EUR' });
    expect(patchAt(rows, 1)).toMatchObject({
      seller_sku: 'K-1',
      title: 'Krüge aus Ton – groß',
      price_minor: 2450n,
      quantity: 3,
    });
  });

  it('reads chosen English columns in any order', async () => {
    const open = openText(
      'SKU,MATERIALS,TITLE,IMAGE1,PRICE,CURRENCY_CODE,QUANTITY,TAGS\nA,Clay,Mug,https://img.example/a.jpg,5,AUD,2,x\n',
    );
    expect((await detect(open)).answer).toMatchObject({
      profile: 'handmade_listings',
      generation: 'english_subset',
    });
    expect(patchAt(await mapAll(open), 1)).toMatchObject({ seller_sku: 'A', title: 'Mug', quantity: 2 });
  });
});

it('finds a listing after its columns were moved: pictures have numbers', async () => {
  const cells = { TITLE: 'Mug', PRICE: '10.00', CURRENCY_CODE: 'AUD', MATERIALS: 'Clay', SKU: '' };
  const images = { IMAGE1: `${IMG}1.jpg`, IMAGE2: `${IMG}2.jpg`, IMAGE10: `${IMG}10.jpg` };
  const file = (columns: Readonly<Record<string, string>>) =>
    openText(`${Object.keys(columns).join()}\n${Object.values(columns).join()}\n`);
  const { IMAGE1, ...others } = images;
  const [as, moved] = [
    await mapAll(file({ ...cells, ...images })),
    await mapAll(file({ ...others, ...cells, IMAGE1 })),
  ];
  expect(moved[0]?.patch).toEqual(as[0]?.patch);
  expect(as[0]?.patch?.images).toEqual(Object.values(images).map((url) => ({ url })));
});

describe('listings without the facts that a sale requires', () => {
  it('become drafts, as in every profile', async () => {
    const rows = await mapAll(
      openText(
        'TITLE,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,SKU\n' +
          'Bowl,,AUD,1,,,,BOWL-1\n' +
          ',20.00,AUD,1,,,,BOWL-2\n',
      ),
    );
    expect(rows.map((row) => [row.role, codesOf(row), row.messages[0]?.column])).toEqual([
      ['staged', ['required_missing'], 'PRICE'],
      ['staged', ['required_missing'], 'TITLE'],
    ]);
  });
});
