/**
 * Real export files as other tools save them: with another encoding, delimiter or line end, and with fewer columns or
 * another order of columns. Detection must give the same result. The tests run where the files are beside the
 * repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  detect,
  LIMITS,
  mapAll,
  mapDetected,
  openBytes,
  openText,
  rolesOf,
} from '../../../../../test/fixtures/profiles/profile-files.ts';
import { allOf } from '../../../../../test/support/text-files.ts';
import { readRecords } from '../../../../kernel/readers/read-records.ts';
import type { TextEncodingName } from '../../../../kernel/readers/records.ts';
import { normaliseHeader } from './cell.ts';
import { HANDMADE_ONLY_NAMES } from './handmade/columns.ts';
import type { ProfileName } from './profile.ts';

const SAMPLES = new URL('../../../../../../shared/samples/', import.meta.url).pathname;

interface Sample {
  readonly path: string;
  readonly profile: ProfileName;
  readonly tab?: true;
  readonly encoding?: TextEncodingName;
  /** The number of the header record, from 1. */
  readonly header?: number;
  /** The columns that a test keeps when it drops the others. */
  readonly keep: RegExp;
  /** Whether the profile finds the columns by their position only. */
  readonly fixedOrder?: true;
}

const STORE = {
  profile: 'store_platform_products',
  keep: /^(?:handle|url handle|title|variant sku|variant price|option1 value|vendor|sku|price|inventory quantity)$/,
} as const;
const LISTINGS = {
  profile: 'marketplace_listings',
  keep: /^(?:seller-sku|sku|asin|asin1|price|quantity|item-name)$/,
  tab: true,
} as const;
const AUCTION = {
  profile: 'auction_file_exchange',
  keep: /^(?:action.*|customlabel|custom label \(sku\)|title|category|category id|quantity|format|buy it now price|condition id)$/,
} as const;
const HANDMADE = {
  profile: 'handmade_listings',
  keep: new RegExp(`^(?:title|price|currency_code|sku|quantity)$|${HANDMADE_ONLY_NAMES.source}`),
} as const;

const SAMPLE_FILES: readonly Sample[] = [
  { path: 'store-platform-shopify/shopify-sample-apparel.csv', ...STORE },
  { path: 'store-platform-shopify/musesproducts-export.csv', ...STORE },
  { path: 'store-platform-shopify/kwpax-export.csv', ...STORE },
  { path: 'store-platform-shopify/new-header-2024-template-sahra.csv', ...STORE },
  {
    path: 'marketplace-amazon/us-active-listings-cp1252-1787rows.txt',
    encoding: 'windows-1252',
    ...LISTINGS,
  },
  { path: 'marketplace-amazon/us-inventory-report-1804rows.txt', ...LISTINGS },
  { path: 'marketplace-amazon/eu-listings-27cols-sanitised.txt', ...LISTINGS },
  { path: 'auction-ebay/us-bulk-out-473rows.csv', header: 2, ...AUCTION },
  { path: 'auction-ebay/us-sellerhub-8rows.csv', ...AUCTION },
  { path: 'handmade-etsy/au-squishies-26rows.csv', ...HANDMADE },
  { path: 'handmade-etsy/us-textiles-97rows.csv', ...HANDMADE },
  { path: 'handmade-etsy/it-ceramics-27rows.csv', fixedOrder: true, ...HANDMADE },
];

/** Only the first records of a file are used, because each file is tested in many forms. */
const RECORDS = 100;

type Table = readonly (readonly string[])[];

/** The header and the first records after it. */
async function tableOf(sample: Sample): Promise<Table> {
  const records = await allOf(
    readRecords([readFileSync(SAMPLES + sample.path)], {
      encoding: sample.encoding ?? 'utf-8',
      delimiter: sample.tab ? '\t' : ',',
      quoting: !sample.tab,
      limits: LIMITS,
    }),
  );
  const from = (sample.header ?? 1) - 1;
  return records.slice(from, from + RECORDS).map(({ cells }) => cells);
}

function write(table: Table, delimiter = ',', lineEnd = '\n', bare = false): string {
  const special = new RegExp(`["\\r\\n${delimiter === '|' ? '\\|' : delimiter}]`);
  const cell = (text: string) => (!bare && special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return table.map((cells) => cells.map(cell).join(delimiter) + lineEnd).join('');
}

function pick(table: Table, columns: readonly number[]): Table {
  return table.map((cells) => columns.map((index) => cells[index] ?? ''));
}

/** The positions of the columns in a mixed order, which is the same in each test run. */
function shuffled(width: number): readonly number[] {
  return Array.from({ length: width }, (_, index) => index).sort(
    (a, b) => ((a * 7919) % 101) - ((b * 7919) % 101) || a - b,
  );
}

describe.skipIf(!existsSync(SAMPLES)).each(SAMPLE_FILES)('$path', (sample) => {
  const table = existsSync(SAMPLES) ? tableOf(sample) : Promise.resolve([]);
  let roles: Promise<Record<string, number>> | undefined;
  /** The roles of the rows in the unchanged file. */
  const original = () => {
    roles ??= table.then(async (rows) => rolesOf(await mapAll(openText(write(rows)))));
    return roles;
  };

  it('has the same profile, rows and roles with every delimiter', async () => {
    for (const delimiter of [',', ';', '\t', '|']) {
      const open = openText(write(await table, delimiter));
      const detection = await detect(open);
      const { answer } = detection;
      expect(answer).toMatchObject({ profile: sample.profile, delimiter, rows: (await table).length - 1 });
      expect(rolesOf(await mapDetected(open, detection))).toEqual(await original());
    }
  });

  it('has them in every encoding, with and without a byte order mark, with CRLF', async () => {
    const text = write(await table, sample.tab ? '\t' : ',', '\r\n', sample.tab === true);
    for (const [encoding, bom] of [
      ['utf-8', true],
      ['utf-16le', true],
      ['utf-16le', false],
      ['utf-16be', true],
    ] as const) {
      const open = openText(bom ? `\ufeff${text}` : text, encoding);
      const detection = await detect(open);
      const { answer } = detection;
      expect(answer).toMatchObject({ profile: sample.profile, encoding, rows: (await table).length - 1 });
      expect(rolesOf(await mapDetected(open, detection))).toEqual(await original());
    }
  });

  it('has them in Windows-1252', async () => {
    const text = write(await table).replace(/[^\t-~\u00a0-\u00ff]/g, '?');
    const open = openBytes(Buffer.from(text, 'latin1'));
    const detection = await detect(open);
    expect(detection.answer).toMatchObject({ profile: sample.profile, rows: (await table).length - 1 });
    expect(rolesOf(await mapDetected(open, detection))).toEqual(await original());
  });

  it('has the same profile after blank lines and a note', async () => {
    const open = openText(`\n\nExported by a tool on 1 July\n\n${write(await table)}`);
    expect((await detect(open)).answer).toMatchObject({ profile: sample.profile, header_row: 2 });
  });

  it.skipIf(sample.fixedOrder)('has them when the columns are in another order', async () => {
    const rows = await table;
    const open = openText(write(pick(rows, shuffled(rows[0]?.length ?? 0))));
    const detection = await detect(open);
    expect(detection.answer).toMatchObject({ profile: sample.profile, rows: rows.length - 1 });
    if (sample.header === undefined)
      expect(rolesOf(await mapDetected(open, detection))).toEqual(await original());
  });

  it.skipIf(sample.fixedOrder)('is detected by a few of its columns', async () => {
    const rows = await table;
    const names = (rows[0] ?? []).map(normaliseHeader);
    const kept = shuffled(names.length).filter((index) => sample.keep.test(names[index] ?? ''));
    const { answer } = await detect(openText(write(pick(rows, kept))));
    expect(answer.profile).toBe(sample.profile);
  });

  it('is not detected without the columns that its profile requires', async () => {
    const rows = await table;
    const names = (rows[0] ?? []).map(normaliseHeader);
    const gone = /^(?:handle|url handle|seller-sku|sku|action.*|currency_code|custom label \(sku\))$/;
    const kept = names.flatMap((name, index) => (gone.test(name) ? [] : [index]));
    const { answer } = await detect(openText(write(pick(rows, kept))));
    expect(answer.profile).toBeNull();
    // A localised header without its two English names has nothing in common with any profile.
    if (!sample.fixedOrder) expect(answer.near_miss?.missing.length).toBeGreaterThan(0);
  });
});
