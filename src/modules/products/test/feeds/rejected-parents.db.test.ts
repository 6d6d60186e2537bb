/** The file of rejected rows of an auction file: parent listings before their variations. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import { applied, catalogueOf, type FeedFailure, feed, type Run } from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const IMPORT = { path: '/products/import-profiles' };

test('a variation with wrong details comes back with its parent, whatever the width of their header', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const header =
    'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity,Product:UPC,Relationship,RelationshipDetails';
  const rows = ['Add,,1,Tee,1000,FixedPrice,,,,,Size=S', ',T-S,,,,,9,2,Does not apply,Variation,Size'];
  const rejectedOf = async (file: string, query = '') => {
    const { body } = await feed<Run & FeedFailure>(seller, file, { ...IMPORT, query });
    const { run_id } = body.run ?? body;
    const { text } = await seller.call(
      'GET',
      `/products/feed-runs/${run_id}/row-results?format=csv&outcome=rejected`,
    );
    return text.trimEnd().split('\r\n');
  };
  const lines = await rejectedOf([header, ...rows].join('\n'));
  expect(lines.slice(1).map((line) => line.split(',').length)).toEqual([13, 13]);
  // The same rows under a second header with one more column.
  const second = [`${header},C:Colour`, ...rows.map((row) => `${row},Red`)];
  const wider = await rejectedOf([header, ...second].join('\n'), 'on_second_header=remap');
  expect(wider.slice(1).map((line) => line.split(',').length)).toEqual([14, 14, 14]);
  // A row of twice as many cells is one line.
  const twice = await rejectedOf([header, `${rows[0]},${rows[0]}`].join('\n'));
  expect(twice).toHaveLength(2);
  const corrected = lines.join('\r\n').replace(/Size$/, 'Size=S');
  expect((await applied(seller, corrected, IMPORT)).counts).toMatchObject({ created: 1, merged: 1 });
});

test('rows under a second header come back under it, and those before it under the first', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const first = 'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity,Product:EAN';
  const second =
    'Action,Title,CustomLabel,Category,ConditionID,Format,Quantity,StartPrice,Product:EAN,C:Colour';
  const file = [
    first,
    'Add,A,1,Lamp A,1000,FixedPrice,-1,3,9312345678907',
    second,
    'Add,Lamp B,B,1,1000,FixedPrice,4,20,9312345678914,Red',
    'Add,Lamp C,C,1,1000,FixedPrice,1000x,20,9312345678921,Red',
    'Add,Lamp D,D,1,1000,FixedPrice,5,30,9312345678938,Red',
    'Add,Lamp E,E,1,1000,FixedPrice,7,20,9.31235E+12,Blue',
    'Add,Lamp F,F,1,1000,FixedPrice,7,20,9312345678945,Blue',
  ].join('\n');
  const remap = { ...IMPORT, query: 'on_second_header=remap' };
  const run = await applied(seller, file, remap);
  expect(run.counts).toMatchObject({ created: 3, rejected: 3, ignored: 1 });
  const path = `/products/feed-runs/${run.run_id}/row-results?format=csv&outcome=rejected`;
  const { text } = await seller.call('GET', path);
  const lines = text.trimEnd().split('\r\n');
  expect(lines.map((line) => line.replace(/^.*?,(?=Action|Add)/, ''))).toEqual([
    first,
    'Add,A,1,Lamp A,1000,FixedPrice,-1,3,9312345678907',
    second,
    'Add,Lamp C,C,1,1000,FixedPrice,1000x,20,9312345678921,Red',
    'Add,Lamp E,E,1,1000,FixedPrice,7,20,9.31235E+12,Blue',
  ]);
  const corrected = text
    .replace('-1,3', '10,3')
    .replace('1000x', '1')
    .replace('9.31235E+12', '9312345678952');
  expect((await applied(seller, corrected, remap)).counts).toMatchObject({ created: 3, ignored: 1 });
  const products = await catalogueOf(seller);
  expect(products.get('C')).toMatchObject({ title: 'Lamp C', price_minor: 2_000, quantity_on_hand: 1 });
  expect(products.get('A')).toMatchObject({ title: 'Lamp A', price_minor: 1_000, quantity_on_hand: 3 });
});
