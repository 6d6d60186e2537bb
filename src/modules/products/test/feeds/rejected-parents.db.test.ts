/** The file of rejected rows of an auction file: parent listings before their variations. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import { applied, type FeedFailure, feed, type Run } from '../../../../../test/support/feeds.ts';

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
  expect(wider.slice(1).map((line) => line.split(',').length)).toEqual([14, 14]);
  // A row of twice as many cells is one line.
  const twice = await rejectedOf([header, `${rows[0]},${rows[0]}`].join('\n'));
  expect(twice).toHaveLength(2);
  const corrected = lines.join('\r\n').replace(/Size$/, 'Size=S');
  expect((await applied(seller, corrected, IMPORT)).counts).toMatchObject({ created: 1, merged: 1 });
});
