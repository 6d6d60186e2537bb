import { expect, test } from 'vitest';
import { type DocumentPlace, defaultItems, isComplete, placeProblem } from './items.ts';

const at = (type: string | null, side: DocumentPlace['side'] = null): DocumentPlace => ({ type, side });

test.each([
  ['nothing', [], false],
  ['one file', [at(null)], true],
  ['a passport', [at('passport')], true],
  ['one side of a licence', [at('driver_licence', 'front')], false],
  ['both sides of a licence', [at('driver_licence', 'back'), at('driver_licence', 'front')], true],
  ['sides of two documents', [at('driver_licence', 'front'), at('national_id', 'back')], false],
  ['a side of one and another whole one', [at('national_id', 'front'), at('passport')], true],
])('%s', (_what, documents, complete) => {
  expect(isComplete(documents)).toBe(complete);
});

test.each([
  ['identity_document', at(null), 'type'],
  ['identity_document', at('library_card'), 'type'],
  ['identity_document', at('passport', 'front'), 'side'],
  ['identity_document', at('national_id'), 'side'],
  ['identity_document', at('national_id', 'back'), undefined],
  ['identity_document', at('passport'), undefined],
  ['proof_of_address', at('passport'), 'type'],
  ['proof_of_address', at(null, 'front'), 'side'],
  ['proof_of_address', at(null), undefined],
])('%s %j: the problem is at %s', (code, place, name) => {
  expect(placeProblem(code, place)?.name).toBe(name);
});

test('a company proves its director, its registration and its owners', () => {
  expect(defaultItems('company').map(({ code, subject }) => [code, subject])).toEqual([
    ['identity_document', 'director_1'],
    ['proof_of_address', 'director_1'],
    ['company_register', null],
    ['beneficial_owners', null],
  ]);
  expect(defaultItems('partnership')).toEqual([]);
  expect(defaultItems(null)).toEqual(defaultItems('sole_trader'));
  expect(defaultItems('sole_trader').map(({ code }) => code)).toEqual([
    'identity_document',
    'proof_of_address',
  ]);
});
