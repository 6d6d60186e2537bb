import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pdfOf as pdf } from '../../../test/support/kyc.ts';
import { checkPdf } from './check-pdf.ts';

const LINK = '<</Type/Annot/Subtype/Link/A<</S/URI/URI(https://x.example)>>>>';
const ADDRESS = '<</Type/Action/S/URI/URI(https://x.example)>>';
/** Objects in a deflated stream, behind the table of their numbers and places. */
const packed = (...objects: (readonly [number: number, object: string])[]) => {
  const body = objects.map(([, object]) => object).join(' ');
  let at = 0;
  const table = objects
    .map(([number, object]) => {
      const pair = `${number} ${at}`;
      at += object.length + 1;
      return pair;
    })
    .join(' ');
  const bytes = deflateSync(Buffer.from(`${table} ${body}`, 'latin1')).toString('latin1');
  return `9 0 obj <</Type/ObjStm/N ${objects.length}/First ${table.length + 1}/Filter/FlateDecode>>\nstream\n${bytes}\nendstream endobj\n`;
};
const catalog = (more: string) => `1 0 obj <</Type/Catalog${more}>> endobj\n`;

test.each<[string, string]>([
  ['by the action of the file', catalog(`/OpenAction${ADDRESS}`)],
  ['by an action elsewhere', `${catalog('/OpenAction 5 0 R')}5 0 obj ${ADDRESS} endobj`],
  ['by an action in a stream', catalog('/OpenAction 5 0 R') + packed([4, LINK], [5, ADDRESS])],
  ['by an action whose file is a stream too', packed([4, '<</OpenAction 5 0 R>>'], [5, ADDRESS])],
  ['by an action under an escaped name', catalog('/Open#41ction<</S/#55RI/U#52I(https://x.example)>>')],
  ['by the next action', catalog(`/OpenAction<</S/GoTo/D[3 0 R/Fit]/Next${ADDRESS}>>`)],
  [
    'by the next action of another object',
    `${catalog('/OpenAction 5 0 R')}5 0 obj<</S/GoTo/D[3 0 R/Fit]/Next 6 0 R>>endobj 6 0 obj${ADDRESS}endobj`,
  ],
  [
    'by one of two objects',
    `${catalog('/OpenAction 5 0 R')}5 0 obj[3 0 R/Fit]endobj 5 0 obj${ADDRESS}endobj`,
  ],
  [
    'by an object with more digits',
    `${catalog('/OpenAction 5 0 R')}5 0 obj[/Fit]endobj 15 0 obj${ADDRESS}endobj`,
  ],
  ['by an object whose number is hidden', `${catalog('/OpenAction 5 0 R')}5 %x\n0%\nobj${ADDRESS}endobj`],
  ['by an object that is missing', `${catalog('/OpenAction 5 0 R')}4 0 obj${LINK}endobj`],
  [
    'by an object that is missing beside one that is not',
    `${catalog('/OpenAction 5 0 R')}5 0 obj[/Fit]endobj 2 0 obj<</Type/Page/AA 6 0 R>>endobj 4 0 obj${LINK}endobj`,
  ],
  [
    'behind the action of a click',
    `${catalog(`/OpenAction<</A<</S/GoTo/D(x)>>/S/URI/URI(https://x.example)>>`)}4 0 obj${LINK}endobj`,
  ],
  [
    'by one of two objects, which leads to another',
    `${catalog('/OpenAction 5 0 R')}5 0 obj[/Fit]endobj 5 0 obj 6 0 R endobj 6 0 obj${ADDRESS}endobj`,
  ],
  [
    'by an event with a number that is no whole one',
    `2 0 obj<</AA<</O 5.0 0 R>>>>endobj 5 0 obj${ADDRESS}endobj`,
  ],
  ['when a page is shown', `2 0 obj <</Type/Page/AA<</O${ADDRESS}>>>> endobj`],
  [
    'when an annotation is seen',
    `2 0 obj <</Type/Annot/AA 6 0 R>> endobj 6 0 obj<</PV 5 0 R>>endobj 5 0 obj${ADDRESS}endobj`,
  ],
  [
    'when a field is left',
    `2 0 obj <</FT/Tx/AA<</E<</S/Hide/T(x)>>/Bl 5 0 R>>>>endobj 5 0 obj${ADDRESS}endobj`,
  ],
  [
    'when a page is shown, as its events elsewhere say',
    `2 0 obj <</Type/Page/AA 6 0 R>> endobj 6 0 obj<</O${ADDRESS}>>endobj`,
  ],
  [
    'after what a page does first',
    `2 0 obj <</AA<</O 5 0 R>>>> endobj 5 0 obj<</S/GoTo/D[3 0 R/Fit]/Next 6 0 R>>endobj 6 0 obj${ADDRESS}endobj`,
  ],
  ['when a page is shown, by an unclosed event', `2 0 obj <</AA<</O<</S/Hide>>\nendobj 4 0 obj${LINK}endobj`],
])('a PDF that opens a web address %s is refused', async (_how, body) => {
  expect(await checkPdf(pdf(body))).toBe('attachment_active_content');
});

test.each<[string, string]>([
  ['bytes', '5 0 obj <</Length 0/F(http://x.example/a)>>\nstream\n\nendstream endobj'],
  [
    'bytes behind an address',
    '5 0 obj <</Length 0/F<</FS/URL/F(http://x.example)>>>>\nstream\n\nendstream endobj',
  ],
  ['bytes that are named elsewhere', '5 0 obj <</Length 0/F 6 0 R>>\nstream\n\nendstream endobj'],
  ['bytes under an escaped name', '5 0 obj <</Length 0/#46 <687474703a>>>\nstream\n\nendstream endobj'],
  ['a page', '5 0 obj <</Subtype/Form/Ref<</F(x.pdf)/Page 0>>/Length 0>>\nstream\n\nendstream endobj'],
  [
    'a page that is named elsewhere',
    '5 0 obj <</Subtype/Form/Ref 6 0 R/Length 0>>\nstream\n\nendstream endobj',
  ],
  ['a file behind an address', '5 0 obj <</Type/Filespec/FS/URL/F(http://x.example)>> endobj'],
])('a PDF with %s of another file is refused', async (_what, body) => {
  expect(await checkPdf(pdf(body))).toBe('attachment_active_content');
});

test.each<[string, string]>([
  ['links and a first page', `${catalog('/OpenAction[3 0 R/XYZ null null 0]')}2 0 obj${LINK}endobj`],
  ['links and a named first page', `${catalog('/OpenAction(start)')}2 0 obj${LINK}endobj`],
  [
    'links and an action that shows a page',
    `${catalog('/OpenAction<</S/GoTo/D[3 0 R/Fit]>>')}2 0 obj${LINK}endobj`,
  ],
  [
    'links and such an action elsewhere',
    `${catalog('/OpenAction 5 0 R')}5 0 obj<</S/GoTo/D[3 0 R/Fit]>>endobj 4 0 obj${ADDRESS}endobj`,
  ],
  [
    'links and such an action in a stream',
    catalog('/OpenAction 5 0 R') + packed([4, ADDRESS], [5, '<</S/GoTo/D[3 0 R/Fit]>>']),
  ],
  [
    'links and a button that shows a page, as LibreOffice writes it',
    `2 0 obj<</Subtype/Widget/FT/Btn/AA<</D<</Type/Action/S/GoTo/D[3 0 R/XYZ 56 785 0]>>>>>>endobj 4 0 obj${LINK}endobj`,
  ],
  [
    'links and events that show pages',
    `2 0 obj<</AA<</O 5 0 R>>>>endobj 3 0 obj<</AA 6 0 R>>endobj 5 0 obj<</S/GoTo/D[3 0 R/Fit]>>endobj 6 0 obj<</C<</S/Named/N/NextPage>>>>endobj 7 0 obj${LINK}endobj`,
  ],
  [
    'links and an outline whose numbers end alike',
    `${catalog('/OpenAction 5 0 R')}5 0 obj<</S/GoTo/D[3 0 R/Fit]>>endobj 15 0 obj${LINK}endobj 25 0 obj<</Title(x)/Next 26 0 R/A${ADDRESS}>>endobj`,
  ],
  [
    'links and a font of the name AA',
    `2 0 obj<</Font<</AA 5 0 R>>>>endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>endobj 4 0 obj${LINK}endobj`,
  ],
  [
    'an event without an address',
    `${catalog('/OpenAction 5 0 R')}2 0 obj <</AA<</O<</S/GoTo/D[3 0 R/Fit]>>>>>>endobj`,
  ],
  ['flags of an annotation', '5 0 obj <</Type/Annot/F 4/Ref[6 0 R]>> endobj'],
  ...['F', 'F1'].map((name): [string, string] => [
    `a picture that is called ${name}`,
    `5 0 obj <</Subtype/Image/Name/${name} /Resources<</Font<</F 3 0 R>>>>/Length 0>>\nstream\n\nendstream endobj`,
  ]),
])('a PDF with %s is accepted', async (_what, body) => {
  expect(await checkPdf(pdf(body))).toEqual({ pages: null });
});
