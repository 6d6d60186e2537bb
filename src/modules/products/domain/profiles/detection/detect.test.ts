import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  detect,
  mapAll,
  openBytes,
  openFixture,
  openText,
} from '../../../../../../test/fixtures/profiles/profile-files.ts';
import { anyText } from '../../../../../../test/support/any-text.ts';
import { checkStatedProfile } from './detect.ts';
import { FINGERPRINTS } from './fingerprints.ts';
import { scoreHeader } from './score-header.ts';
import { UNSUPPORTED_SHAPES } from './unsupported-shapes.ts';

describe('files of the four profiles', () => {
  it.each([
    ['store-generation-a.csv', 'store_platform_products', 'A', ',', 'utf-8', 6],
    ['store-generation-c.csv', 'store_platform_products', 'C', ',', 'utf-8', 6],
    ['store-generation-d.csv', 'store_platform_products', 'D', ',', 'utf-8', 2],
    ['store-generation-e-bom.csv', 'store_platform_products', 'E', ',', 'utf-8', 3],
    ['store-scattered.csv', 'store_platform_products', 'subset', ',', 'utf-8', 7],
    ['marketplace-listings-cp1252.txt', 'marketplace_listings', 'listings_report', '\t', 'windows-1252', 5],
    ['marketplace-all-listings-bom.txt', 'marketplace_listings', 'all_listings_report', '\t', 'utf-8', 3],
    ['marketplace-custom-columns.txt', 'marketplace_listings', 'custom_columns', '\t', 'utf-8', 2],
    ['marketplace-loader.txt', 'marketplace_listings', 'inventory_loader', '\t', 'utf-8', 3],
    ['marketplace-category-template.txt', 'marketplace_listings', 'category_template', '\t', 'utf-8', 3],
    ['auction-au-file-exchange.csv', 'auction_file_exchange', 'file_exchange', ',', 'utf-8', 12],
    ['auction-de-semicolon-cp1252.csv', 'auction_file_exchange', 'file_exchange', ';', 'windows-1252', 4],
    ['auction-draft-template.csv', 'auction_file_exchange', 'draft_template', ',', 'utf-8', 1],
    ['auction-seller-hub.csv', 'auction_file_exchange', 'seller_hub', ',', 'utf-8', 5],
    ['auction-download.csv', 'auction_file_exchange', 'active_listings_download', ',', 'utf-8', 4],
    ['handmade-au.csv', 'handmade_listings', 'english', ',', 'utf-8', 5],
    ['handmade-de-utf16le.csv', 'handmade_listings', 'localised', ',', 'utf-16le', 1],
  ])('%s is %s, %s', async (name, profile, generation, delimiter, encoding, rows) => {
    const { answer, refusal } = await detect(openFixture(name));
    expect(refusal).toBeNull();
    expect(answer).toMatchObject({ profile, generation, delimiter, encoding, rows, near_miss: null });
    expect(answer.confidence).toBeGreaterThanOrEqual(0.6);
    expect(answer.candidates[0]).toEqual({ profile, score: answer.confidence });
    expect(await mapAll(openFixture(name))).toHaveLength(rows);
  });

  it('get an answer with all fields, which can be written as JSON', async () => {
    const { answer } = await detect(openFixture('auction-au-file-exchange.csv'));
    expect(Object.keys(answer).sort()).toEqual([
      'candidates',
      'columns',
      'confidence',
      'currency',
      'delimiter',
      'encoding',
      'generation',
      'header_row',
      'near_miss',
      'profile',
      'rows',
      'sample',
      'warnings',
    ]);
    expect(answer).toMatchObject({ currency: 'AUD', header_row: 2, columns: { unknown: [] } });
    expect(answer.sample).toHaveLength(5);
    const [first] = JSON.parse(JSON.stringify(answer.sample)) as unknown[];
    expect(first).toMatchObject({
      row_number: 2,
      role: 'product',
      product: { price_minor: 2500, seller_sku: 'TEE-R-S' },
    });
  });

  it('have their matched, unknown and missing columns in the answer', async () => {
    const { answer } = await detect(openText('Handle,Title,Variant SKU,Variant Price,My Notes\na,A,1,2,x\n'));
    expect(answer.columns.unknown).toEqual(['My Notes']);
    expect(answer.columns.missing).toContain('Variant Barcode');
    expect(answer.columns.matched).toEqual(['Handle', 'Title', 'Variant SKU', 'Variant Price']);
  });
});

describe('files that are not imported', () => {
  it.each([
    ['other-inventory-export.csv', 'store_platform_inventory', 'shape_not_supported'],
    ['other-fulfilment-inventory.txt', 'fulfilment_inventory', 'shape_not_supported'],
    ['other-operator-offers.csv', 'operator_offers', 'shape_not_supported'],
    ['other-japanese-listings.txt', 'localised_listings', 'shape_not_supported'],
    ['other-handmade-orders.csv', 'orders_with_personal_data', 'personal_data_refused'],
  ])('%s is recognised as %s', async (name, code, refused) => {
    const { answer, file, refusal } = await detect(openFixture(name));
    expect(file).toBeNull();
    expect(answer.profile).toBeNull();
    expect(answer.warnings.at(-1)?.code).toBe(code);
    expect(refusal).toMatchObject({ code: refused, status: 422 });
  });

  it('with personal data are not shown in the answer', async () => {
    const detection = await detect(openFixture('other-handmade-orders.csv'));
    expect(JSON.stringify(detection)).not.toMatch(/A\. Buyer|Nowhere/);
  });

  it.each([
    'Name,Email,Financial Status,Paid at,Lineitem name,Billing Name,Shipping Street\n#1,a@b.example,paid,,Mug,X,Y\n',
    'order-id\torder-item-id\tpurchase-date\tbuyer-email\tbuyer-name\tsku\n1\t2\t\ta@b.example\tX\tA\n',
    'Sales record number,Order number,Buyer username,Buyer name,Item number,Item title,Custom label\n1,2,b,X,3,Mug,A\n',
    'First Name,Last Name,Email,Accepts Email Marketing,Phone,Total Spent\nJo,X,a@b.example,yes,1,5\n',
  ])('include exports of orders and customers: %s', async (text) => {
    expect((await detect(openText(text))).refusal?.code).toBe('personal_data_refused');
  });

  it.each([
    ['an Excel workbook', Buffer.from('PK\x03\x04rest')],
    ['a gzip file', gzipSync('Handle,Title')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['a web page', Buffer.from('<!DOCTYPE html><html><body>Sign in')],
  ])('include %s, with 415', async (_name, bytes) => {
    const { answer, refusal } = await detect(openBytes(bytes));
    expect(refusal).toMatchObject({ code: 'file_type_unsupported', status: 415 });
    expect(answer).toMatchObject({ profile: null, encoding: null });
  });

  it('get the missing column of the most similar profile', async () => {
    const { answer } = await detect(openFixture('near-store-without-title.csv'));
    expect(answer).toMatchObject({
      profile: null,
      near_miss: {
        profile: 'store_platform_products',
        missing: ['title'],
        matched: expect.arrayContaining(['handle']),
      },
    });
    expect(answer.near_miss?.score).toBeLessThan(0.6);
  });

  it('get the column that belongs to another kind of file', async () => {
    const { answer } = await detect(
      openText('Handle,Title,Variant SKU,Variant Price,Option4 Name\na,A,1,2,x\n'),
    );
    expect(answer.near_miss).toMatchObject({ profile: 'store_platform_products', against: ['option4 name'] });
  });

  it('include files without any column of a profile, and empty files', async () => {
    expect((await detect(openFixture('near-own-list.csv'))).answer).toMatchObject({
      profile: null,
      near_miss: null,
    });
    for (const text of ['', '\n\n', 'Info\n#INFO\n', '"', '\0\0\0']) {
      expect((await detect(openText(text))).refusal?.code).toBe('profile_not_recognised');
    }
  });

  it('include a file that matches two profiles equally well', async () => {
    const store = 'Handle,Title,Variant SKU,Variant Price,Image Src,Vendor,Body (HTML),Published';
    const marketplace = 'seller-sku,item-name,asin1,price,quantity,listing-id,open-date';
    const { refusal, answer } = await detect(openText(`${store},${marketplace}\n`));
    expect(refusal?.code).toBe('profile_ambiguous');
    expect(answer.candidates.slice(0, 2).map(({ score }) => score)).toEqual([1, 1]);
  });
});

describe('the stated profile', () => {
  it('must be the detected profile', async () => {
    const detection = await detect(openFixture('handmade-au.csv'));
    expect(checkStatedProfile('auto', detection)).toBeNull();
    expect(checkStatedProfile('handmade_listings', detection)).toBeNull();
    expect(checkStatedProfile('store_platform_products', detection)).toMatchObject({
      code: 'profile_mismatch',
      status: 422,
      stated: 'store_platform_products',
      detected: 'handmade_listings',
    });
  });

  it('does not make an unrecognised file acceptable', async () => {
    const detection = await detect(openFixture('near-own-list.csv'));
    expect(checkStatedProfile('handmade_listings', detection)).toMatchObject({
      code: 'profile_not_recognised',
      detected: null,
    });
  });
});

describe('the fingerprints', () => {
  it('have normalised names, and no name is both required and negative', () => {
    for (const pattern of [...FINGERPRINTS, ...UNSUPPORTED_SHAPES]) {
      const names = [...pattern.required.flat(), ...pattern.strong, ...pattern.negative];
      for (const name of names) expect(name).toBe(name.normalize('NFKC').trim().toLowerCase());
      expect(pattern.negative.filter((name) => pattern.required.flat().includes(name))).toEqual([]);
    }
  });

  it('give scores from 0 to 1, and no match without the required columns', () => {
    const vocabulary = FINGERPRINTS.flatMap(({ required, strong, negative }) => [
      ...required.flat(),
      ...strong,
      ...negative,
    ]);
    fc.assert(
      fc.property(fc.subarray(vocabulary.map((name) => name.replace('*', 'x'))), (names) => {
        for (const pattern of FINGERPRINTS) {
          const { score, missing } = scoreHeader(new Set(names), pattern);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          if (missing.length > 0) expect(score).toBeLessThan(0.6);
        }
      }),
    );
  });
});

describe('hostile files', () => {
  it('of random bytes get an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        const { answer, refusal } = await detect(openBytes(Buffer.from(bytes)));
        expect(answer.profile === null).toBe(refusal !== null);
      }),
      { numRuns: 200 },
    );
  });

  it('do not make a mapper throw, drop a row or number it wrongly', async () => {
    const headers = [
      'Handle,Title,Variant SKU,Variant Price,Option1 Name,Option1 Value,Image Src,Status,Variant Inventory Qty',
      'seller-sku,item-name,price,quantity,product-id,product-id-type,item-condition,add-delete,fulfillment-channel',
      'Action,Custom label (SKU),Category ID,Title,Price,Quantity,Format,Relationship,Relationship details',
      'TITLE,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,VARIATION 1 VALUES,SKU',
    ];
    const cell = fc.oneof(
      fc.constantFrom(
        '',
        'a',
        'Add',
        'Variation',
        'Size=S',
        '5',
        '-1',
        '12,5',
        '1e3',
        'true',
        'Info',
        '__proto__',
        '=',
      ),
      anyText({ maxLength: 8 }).map((text) => text.replace(/["\r\n,]/g, '')),
    );
    const line = fc.array(cell, { minLength: 8, maxLength: 10 }).map((cells) => cells.join(','));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...headers),
        fc.array(line, { maxLength: 12 }),
        async (header, lines) => {
          const open = openText(`${header}\n${lines.join('\n')}\n`);
          const { answer, file } = await detect(open);
          if (file === null) return;
          const rows = await mapAll(open);
          expect(rows.map(({ row_number }) => row_number)).toEqual(rows.map((_row, index) => index + 1));
          expect(rows).toHaveLength(answer.rows ?? -1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('take linear time: a header of 500 columns, a cell of blanks, a quote that is not closed', async () => {
    const started = process.cpuUsage();
    await detect(openText(`${Array.from({ length: 499 }, (_, i) => `c${i}`).join(',')}\n`.repeat(500)));
    await detect(openText(`Handle,Title,Variant SKU,Variant Price\na, x${' '.repeat(200_000)}y,1,2\n`));
    await detect(openText(`Handle,Title,Variant SKU,Variant Price\na,"${'x,'.repeat(500_000)}`));
    // Of the processor, because a busy machine lets the test wait.
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
  });
});

describe('files with few columns of a known file', () => {
  it.each([
    'Title,URL handle,SKU,Price\nMug,mug,M-1,5\n',
    'URL handle,Title,Price,Compare-at price\nmug,Mug,5,6\n',
    'URL handle,Title,Status,Tags\nmug,Mug,Active,a\n',
    'URL handle,Title,Product image URL,Image position\nmug,Mug,https://img.example/m.jpg,1\n',
  ])('%s is a store-platform export', async (text) => {
    expect((await detect(openText(text))).answer).toMatchObject({
      profile: 'store_platform_products',
      generation: 'E',
    });
  });

  it.each([
    'amazon-order-id\tmerchant-order-id\tpurchase-date\torder-status\tfulfillment-channel\tproduct-name\tsku\tasin\t' +
      'quantity\tcurrency\titem-price\tship-city\tship-postal-code',
    'order-id\torder-item-id\tpurchase-date\tsku\tproduct-name\tquantity-purchased\tship-state\tship-country',
  ])('orders without names of buyers are refused, because they have addresses: %s', async (header) => {
    const { answer, refusal } = await detect(openText(`${header}\n`));
    expect([answer.profile, refusal?.code, answer.sample]).toEqual([null, 'personal_data_refused', []]);
  });
});
