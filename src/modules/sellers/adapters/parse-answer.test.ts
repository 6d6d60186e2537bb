import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAnswer } from './parse-answer.ts';

const FOUND = {
  Abn: '51824753556',
  AbnStatus: 'Active',
  AbnStatusEffectiveFrom: '1999-11-01',
  Acn: '',
  BusinessName: [],
  EntityName: 'AUSTRALIAN TAXATION OFFICE',
  EntityTypeCode: 'CGE',
  EntityTypeName: 'Commonwealth Government Entity',
  Gst: '2000-07-01',
  AddressState: 'NSW',
  AddressPostcode: '2640',
  Message: '',
};
const entryOf = (fields: object) => {
  const answer = parseAnswer(`callback(${JSON.stringify({ ...FOUND, ...fields })})`);
  return answer.status === 'found' ? answer.entry : undefined;
};

test.each([
  ['callback', `callback(${JSON.stringify(FOUND)})`],
  ['another callback', `jQuery123.cb_1 (${JSON.stringify(FOUND)});\r\n`],
  ['a BOM', `\uFEFFcallback(${JSON.stringify(FOUND)})`],
  ['plain JSON', JSON.stringify(FOUND)],
])('an answer in %s is read', (_name, body) => {
  expect(parseAnswer(body)).toMatchObject({
    status: 'found',
    entry: {
      abn: '51824753556',
      acn: null,
      abn_status: 'active',
      effective_from: '1999-11-01',
      entity_name: 'AUSTRALIAN TAXATION OFFICE',
      entity_type_code: 'CGE',
      gst_from: '2000-07-01',
      state: 'NSW',
      postcode: '2640',
    },
  });
});

test('GST is a date or null', () => {
  expect(entryOf({ Gst: null })?.gst_from).toBeNull();
  expect(entryOf({ Gst: '' })?.gst_from).toBeNull();
  expect(entryOf({ Gst: '0001-01-01' })?.gst_from).toBeNull();
  expect(entryOf({ Gst: '2000-07-01T00:00:00' })?.gst_from).toBe('2000-07-01');
});

test('business names come as texts, as objects or alone', () => {
  expect(entryOf({ BusinessName: ['A', ' B ', ''] })?.business_names).toEqual(['A', 'B']);
  expect(entryOf({ BusinessName: [{ OrganisationName: 'A' }, { Name: 'B' }, {}] })?.business_names).toEqual([
    'A',
    'B',
  ]);
  expect(entryOf({ BusinessName: 'A' })?.business_names).toEqual(['A']);
  expect(entryOf({ BusinessName: null })?.business_names).toEqual([]);
});

test.each(['No record found', 'No records found', 'Search text is not a valid ABN or ACN'])(
  'the message %j decides about the number',
  (Message) => {
    expect(parseAnswer(`callback(${JSON.stringify({ Abn: '', Message })})`)).toEqual({ status: 'not_found' });
  },
);

test.each([
  'The GUID entered is not recognised as a Registered Party',
  'There was a problem completing your request.',
  'Unknown web services error',
])('the message %j says nothing about the number', (Message) => {
  const answer = parseAnswer(`callback(${JSON.stringify({ ...FOUND, Message })})`);
  expect(answer).toMatchObject({ status: 'unavailable', reason: Message });
});

test.each([
  '',
  '<html>maintenance</html>',
  'callback()',
  'callback({)',
  'callback({"Abn":""})',
  '{}',
  'callback([])',
])('neither does the body %j', (body) => {
  expect(parseAnswer(body).status).toBe('unavailable');
});

test('no answer of a broken service throws or refuses the number', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => `callback(${json})`),
      ),
      (body) => {
        expect(parseAnswer(body).status).not.toBe('not_found');
      },
    ),
  );
});
