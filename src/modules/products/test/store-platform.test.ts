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
  rolesOf,
  rowAt,
} from '../../../../test/fixtures/profiles/profile-files.ts';
import { validatePatch } from '../domain/fields/validate-patch.ts';

const IMG = 'https://img.example/';

describe('generation A (no status, CRLF)', () => {
  const rows = mapAll(openFixture('store-generation-a.csv'));

  it('makes a product of every variant and merges image rows into the first', async () => {
    expect(rolesOf(await rows)).toEqual({ product: 4, merged: 1, staged: 1 });
    expect(rowAt(await rows, 3)).toMatchObject({ role: 'merged', part_of: 1, patch: null });
  });

  it('maps the head row in full', async () => {
    expect(patchAt(await rows, 1)).toEqual({
      external_key: 'felt-hat#Red/S',
      seller_sku: 'FH-R-S',
      identity: { strategy: 'global_id', value: '9312345678907' },
      title: 'Felt Hat',
      description: '<p>Warm.\nSoft.</p>',
      brand: 'Wattle & Co',
      category: 'Hats',
      partial: { category: 'product_type', unqualified: { status: 'store_status' } },
      status: 'active',
      price_minor: 4995n,
      compare_at_minor: 5995n,
      quantity: 4,
      images: [
        { url: `${IMG}hat-red.jpg` },
        { url: `${IMG}hat-2.jpg` },
        { url: `${IMG}hat-1.jpg`, alt: 'Red hat' },
        { url: `${IMG}hat-3.jpg` },
      ],
      variation: { parent_sku: 'felt-hat', theme: 'Colour/Size', values: { Colour: 'Red', Size: 'S' } },
      attributes: {
        product_type: 'Hats',
        tags: 'wool, winter',
        seo_title: 'Felt hat',
        brand_source: 'vendor',
        weight_g: '120',
        oversell: 'deny',
        stock_tracking: null,
      },
    });
  });

  it('inherits title and option names, strips one apostrophe of a SKU, reads negative stock as 0', async () => {
    const row = rowAt(await rows, 2);
    expect(row.patch).toMatchObject({
      seller_sku: 'FH-B-S',
      title: 'Felt Hat',
      quantity: 0,
      compare_at_minor: null,
      variation: { parent_sku: 'felt-hat', values: { Colour: 'Blue', Size: 'S' } },
      attributes: { weight_g: '120.5', oversell: 'allow' },
    });
    expect(row.messages).toMatchObject([
      { code: 'stock_negative', severity: 'warning', value_excerpt: '-3' },
    ]);
  });

  it('reads a blank handle as the handle above and uses each picture once', async () => {
    const patch = patchAt(await rows, 4);
    expect(patch.external_key).toBe('felt-hat#Green/S');
    expect(patch.images?.map(({ url }) => url)).toEqual([
      `${IMG}hat-2.jpg`,
      `${IMG}hat-1.jpg`,
      `${IMG}hat-3.jpg`,
    ]);
  });

  it('uses MPN and vendor as identity, a blank tracker as unknown stock, Published as status', async () => {
    expect(patchAt(await rows, 5)).toMatchObject({
      identity: { strategy: 'mpn_brand', mpn: 'EO-100', brand: 'Wattle & Co' },
      title: 'Emu Oil 🦤',
      quantity: null,
      status: 'inactive',
      variation: null,
    });
    expect(codesOf(rowAt(await rows, 5))).toEqual(['stock_unknown']);
  });

  it('stages a product without a SKU and a valid barcode under its handle, and keeps the barcode as text', async () => {
    const row = rowAt(await rows, 6);
    expect(row.role).toBe('staged');
    expect(codesOf(row)).toEqual(['sku_required', 'gtin_not_taken', 'identity_required']);
    expect(row.messages[1]).toMatchObject({ expected: '7', column: 'Variant Barcode' });
    expect(row.patch).toMatchObject({
      external_key: 'no-codes',
      title: 'Plain Bowl',
      attributes: { barcode_raw: '9312345678908' },
    });
    expect(row.patch).not.toHaveProperty('seller_sku');
    expect(row.patch).not.toHaveProperty('identity');
  });
});

describe('generation C (markets)', () => {
  const rows = mapAll(openFixture('store-generation-c.csv'));

  it('rejects barcodes that a spreadsheet has rounded, with their own code', async () => {
    const row = rowAt(await rows, 1);
    expect(roleOf(row)).toBe('error');
    expect(codesOf(row)).toContain('gtin_scientific_notation');
    expect(row.cells).toHaveLength(46);
  });

  it('rejects all values of gift cards; each rejected variant has its own message', async () => {
    expect(codesOf(rowAt(await rows, 2))).toEqual(['gift_card', 'stock_unknown']);
    const second = rowAt(await rows, 3);
    expect(codesOf(second)).toContain('gift_card');
    expect(second.standalone?.(1_000).slice(0, 4)).toEqual(['gift', 'Gift Voucher', '', 'Wattle & Co']);
    expect(second.standalone?.(1_000)).toContain('Amount');
  });

  it('gives the SKU of a rejected row to the next row that has it', async () => {
    const row = rowAt(await rows, 4);
    expect(roleOf(row)).toBe('product');
    expect(row.patch?.seller_sku).toBe(rowAt(await rows, 1).patch?.seller_sku);
    expect(codesOf(row)).toContain('not_published_in_store');
  });

  it('rejects an invalid price', async () => {
    expect(rowAt(await rows, 5).messages[0]).toMatchObject({ code: 'price_invalid', value_excerpt: '12.5O' });
  });

  it('keeps a draft as a draft', async () => {
    expect(patchAt(await rows, 6).status).toBe('draft');
  });

  it('uses the store price, and warns when the file has a price for Australia', async () => {
    const { answer } = await detect(openFixture('store-generation-c.csv'));
    const codes = answer.warnings.map(({ code }) => code);
    expect(codes).toContain('market_columns_ignored');
    expect(codes).toContain('market_currency_question');
    expect(patchAt(await rows, 1).price_minor).toBe(1500n);
  });
});

describe('generations D and E', () => {
  it('keeps metafields under their stable names, for every variant', async () => {
    const rows = await mapAll(openFixture('store-generation-d.csv'));
    const facts = { 'shopify.color-pattern': 'red; blue', 'custom.care': '30°' };
    expect(patchAt(rows, 1).attributes).toMatchObject(facts);
    expect(patchAt(rows, 2).attributes).toMatchObject(facts);
    expect(patchAt(rows, 2).variation?.values).toEqual({ Farbe: 'Blau' });
  });

  it('reads the columns of 2024 after a byte order mark', async () => {
    const rows = await mapAll(openFixture('store-generation-e-bom.csv'));
    expect(patchAt(rows, 1)).toMatchObject({
      external_key: 'linen-tee#S',
      seller_sku: 'LT-S',
      category: 'Apparel > Tops',
      condition: 'new',
      status: 'active',
      price_minor: 5900n,
      quantity: 9,
      attributes: { weight_g: '200', oversell: 'deny' },
    });
    expect(JSON.stringify(rows.map(({ patch }) => patch?.attributes))).not.toContain('21.10');
    expect(rowAt(rows, 2)).toMatchObject({ role: 'staged', patch: { seller_sku: 'LT-M', quantity: null } });
    expect(patchAt(rows, 3)).toMatchObject({ external_key: 'tea-towel', status: 'inactive' });
    expect(codesOf(rowAt(rows, 3))).toContain('handle_missing');
  });
});

describe('a file that was sorted or damaged', () => {
  const rows = mapAll(openFixture('store-scattered.csv'));

  it('never makes a second product from a repeated handle', async () => {
    const late = rowAt(await rows, 4);
    expect(roleOf(late)).toBe('error');
    expect(codesOf(late)).toContain('handle_reappears');
    expect(rowAt(await rows, 5)).toMatchObject({ role: 'merged', part_of: 4 });
  });

  it('rejects a row with too many cells instead of shifting it', async () => {
    expect(rowAt(await rows, 3)).toMatchObject({
      patch: null,
      messages: [{ code: 'column_count_mismatch', value_excerpt: '6 cells', expected: '5 cells' }],
      cells: ['b', 'B2', 'oops', 'B-2', '4.00', ''],
    });
  });

  it('ignores blank rows and pictures without a product, in file order', async () => {
    expect((await rows).map((row) => [row.row_number, roleOf(row)])).toEqual([
      [1, 'staged'],
      [2, 'staged'],
      [3, 'error'],
      [4, 'error'],
      [5, 'merged'],
      [6, 'ignored'],
      [7, 'ignored'],
    ]);
    expect(codesOf(rowAt(await rows, 6))).toEqual(['image_without_product']);
    expect(codesOf(rowAt(await rows, 7))).toEqual(['row_blank']);
  });
});

describe('subsets and repeats', () => {
  it('keeps fields without a column, and stages products without a price', async () => {
    const open = openText('Handle,Title,Variant SKU,Variant Barcode\nmug,Mug,M-1,9312345678907\n');
    const [row] = await mapAll(open);
    expect(row).toMatchObject({ role: 'staged', messages: [{ code: 'required_missing', severity: 'info' }] });
    expect(Object.keys(row?.patch ?? {}).sort()).toEqual([
      'attributes',
      'external_key',
      'identity',
      'seller_sku',
      'title',
    ]);
  });

  it('removes the guard before a formula', async () => {
    const open = openText(
      "Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price,X (product.metafields.a.x)\n'-mug,'=1+1,''quoted,'@Acme,''=S,1,'+5\n",
    );
    expect((await mapAll(open))[0]?.patch).toMatchObject({
      external_key: '-mug',
      title: '=1+1',
      description: "'quoted",
      brand: '@Acme',
      seller_sku: "'=S",
      attributes: { 'a.x': '+5' },
    });
    const plain = openText("Handle,Title,Variant SKU,Variant Price\nm,'Twas a mug,=S,1\n");
    expect((await mapAll(plain))[0]?.patch).toMatchObject({ title: "'Twas a mug", seller_sku: '=S' });
  });

  it('uses the picture of a variant when the product has none', async () => {
    const open = openText(`Handle,Title,Variant SKU,Variant Price,Variant Image\na,A,S,1,${IMG}v.jpg\n`);
    expect((await mapAll(open))[0]?.patch?.images).toEqual([{ url: `${IMG}v.jpg` }]);
  });

  it('reports the same variant twice', async () => {
    const header = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n';
    const rows = await mapAll(openText(`${header}a,A,Size,S,,1\na,,,S,,2\n`));
    expect(codesOf(rows[1])).toContain('duplicate_in_file');
  });

  it('treats a SKU that is too long as missing and reports it', async () => {
    const header = 'Handle,Title,Variant SKU,Variant Price\n';
    const [row] = await mapAll(openText(`${header}a,A,${'x'.repeat(65)},1\n`));
    expect(row).toMatchObject({ role: 'staged', patch: { external_key: 'a' } });
    expect(row?.messages[0]).toMatchObject({ code: 'sku_required', message: expect.stringContaining('65') });
  });

  it('treats names of Object.prototype as unknown values', async () => {
    const header = 'Handle,Title,Variant SKU,Variant Price,Status,Google Shopping / Condition\n';
    const [row] = await mapAll(openText(`${header}a,A,constructor,1,toString,valueOf\n`));
    expect(row?.patch).toMatchObject({ seller_sku: 'constructor' });
    expect(row?.patch).not.toHaveProperty('status');
    expect(row?.patch).not.toHaveProperty('condition');
  });

  it('splits a huge group without losing rows, title or option names', async () => {
    const header = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src\n';
    const lines = Array.from({ length: 6_000 }, (_, i) => `a,,,V${i},S${i},1,`);
    const rows = await mapAll(openText(`${header}a,A,Size,V,S,1,${IMG}a.jpg\n${lines.join('\n')}\n`));
    expect(rows.map(({ row_number }) => row_number)).toEqual(Array.from({ length: 6_001 }, (_, i) => i + 1));
    expect(rows.at(-1)?.patch).toMatchObject({ title: 'A', variation: { values: { Size: 'V5999' } } });
  });

  it('makes patches that the rules of products accept', async () => {
    for (const name of ['a', 'c', 'd', 'e-bom']) {
      for (const row of await mapAll(openFixture(`store-generation-${name}.csv`), AUD)) {
        if (row.patch === null || roleOf(row) === 'error') continue;
        expect(validatePatch(row.patch).messages).toEqual([]);
      }
    }
  });
});
