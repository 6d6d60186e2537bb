import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainCheck, type ChainPlace, canonicalEntry, hashOf, NO_HASH, type Sealed } from './chain.ts';

const first = {
  seq: 1,
  at: '2026-07-01T01:00:00.000Z',
  action: 'products.create',
  result: 'done',
  prev_hash: NO_HASH,
};
const second = {
  at: '2026-07-01T01:05:00.000Z',
  action: 'sellers.members.invite',
  code: null,
  result: 'done',
  seq: 2,
  prev_hash: 'cee0f1671b103b9c1612b44df151cf01080e5ef72e44af537a4012b223d1ffd8',
};

test('the hashes of the published example', () => {
  expect(canonicalEntry(first)).toBe(
    `{"action":"products.create","at":"2026-07-01T01:00:00.000Z","prev_hash":"${NO_HASH}","result":"done","seq":1}`,
  );
  expect(hashOf(first)).toBe(second.prev_hash);
  expect(hashOf(second)).toBe('353dad36c836b5f319d6e5db2fb5836b146084755f373e4adf82f72b786e3cad');
  expect(hashOf({ ...second, hash: 'anything' })).toBe(hashOf(second));
});

const content = fc.record(
  {
    action: fc.string(),
    target_id: fc.option(fc.string()),
    changed_fields: fc.array(fc.string()),
    counts: fc.dictionary(fc.string(), fc.nat()),
  },
  { requiredKeys: ['action'] },
);

function chainOf(contents: readonly object[]): Sealed[] {
  let prev_hash = NO_HASH;
  return contents.map((entry, index) => {
    const open = { ...entry, seq: index + 1, prev_hash };
    prev_hash = hashOf(open);
    return { ...open, hash: prev_hash };
  });
}

const ZERO: ChainPlace = { seq: 0, hash: NO_HASH };
function breakOf(entries: readonly Sealed[], head: ChainPlace, before = ZERO): number | undefined {
  const check = new ChainCheck(before);
  entries.every((entry) => check.follow(entry));
  check.end(head);
  return check.firstBreak;
}

describe('any chain', () => {
  const chains = fc
    .array(content, { minLength: 2, maxLength: 20 })
    .chain((contents) => fc.tuple(fc.constant(chainOf(contents)), fc.nat(contents.length - 1)));

  test('is whole from any place on, also after it was written as JSON and read again', () => {
    fc.assert(
      fc.property(chains, ([chain, from]) => {
        const copy = chain.map((entry): Sealed => JSON.parse(canonicalEntry(entry)));
        const head = chain.at(-1) ?? ZERO;
        expect(breakOf(copy, head)).toBeUndefined();
        expect(breakOf(copy.slice(from + 1), head, chain[from])).toBeUndefined();
      }),
    );
  });

  test('breaks at the entry that was changed or deleted, and where its tail was cut', () => {
    fc.assert(
      fc.property(chains, ([chain, index]) => {
        const head = chain.at(-1) ?? ZERO;
        const changed = chain.map((entry, at) =>
          at === index ? { ...entry, action: 'other action' } : entry,
        );
        expect(breakOf(changed, head)).toBe(index + 1);
        expect(breakOf(chain.toSpliced(index, 1), head)).toBe(index + 1);
        expect(breakOf(chain.slice(0, index), head)).toBe(index + 1);
      }),
    );
  });

  test('breaks after the head if entries were added after it', () => {
    const chain = chainOf([first, second, first]);
    expect(breakOf(chain, chain[1] ?? ZERO)).toBe(3);
    expect(breakOf(chain, { seq: 3, hash: NO_HASH })).toBe(3);
  });
});
