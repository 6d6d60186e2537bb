import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DraftParcel, parcelsToDrop } from './parcels-to-drop.ts';

const parcel = (shipment_id: string, labelled: boolean, units: Record<string, number>): DraftParcel => ({
  shipment_id,
  labelled,
  units: new Map(Object.entries(units)),
});
const dropped = (parcels: readonly DraftParcel[], excess: Record<string, number>) =>
  parcelsToDrop(parcels, new Map(Object.entries(excess)))
    .map(({ shipment_id }) => shipment_id)
    .sort();

test.each([
  ['nothing when nothing is too much', [parcel('a', false, { x: 1 })], { x: 0 }, []],
  [
    'the parcel that alone is enough',
    [parcel('a', false, { x: 1 }), parcel('b', true, { x: 2 })],
    { x: 2 },
    ['b'],
  ],
  ['the unlabelled one', [parcel('a', true, { x: 1 }), parcel('b', false, { x: 3 })], { x: 1 }, ['b']],
  ['the smallest one', [parcel('a', false, { x: 3 }), parcel('b', false, { x: 1, y: 1 })], { x: 1 }, ['b']],
  [
    'one for two lines',
    [parcel('a', false, { x: 1 }), parcel('b', false, { y: 1 }), parcel('c', true, { x: 1, y: 1 })],
    { x: 1, y: 1 },
    ['c'],
  ],
])('%s', (_what, parcels, excess, expected) => {
  expect(dropped(parcels, excess)).toEqual(expected);
});

const LINES = ['x', 'y', 'z'];
const anyParcel = fc.record({
  labelled: fc.boolean(),
  units: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
});

test('no other choice is better: fewest parcels, then fewest labels, then fewest units', () => {
  fc.assert(
    fc.property(
      fc.array(anyParcel, { minLength: 1, maxLength: 7 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      (drafts, shares) => {
        const parcels = drafts.map(({ labelled, units }, index) =>
          parcel(
            String(index),
            labelled,
            Object.fromEntries(LINES.map((line, at) => [line, units[at] ?? 0])),
          ),
        );
        const held = (of: readonly DraftParcel[], line: string) =>
          of.reduce((sum, { units }) => sum + (units.get(line) ?? 0), 0);
        const excess = new Map(
          LINES.map((line, at) => [line, Math.floor(held(parcels, line) * (shares[at] ?? 0))]),
        );
        const isEnough = (of: readonly DraftParcel[]) =>
          LINES.every((line) => held(of, line) >= (excess.get(line) ?? 0));
        const cost = (of: readonly DraftParcel[]) => {
          const units = LINES.reduce((sum, line) => sum + held(of, line), 0);
          return of.length * 10_000 + of.filter(({ labelled }) => labelled).length * 100 + units;
        };
        const all = Array.from({ length: 2 ** parcels.length }, (_, mask) =>
          parcels.filter((_one, index) => (mask >> index) % 2 === 1),
        );
        const chosen = parcelsToDrop(parcels, excess);
        expect(isEnough(chosen)).toBe(true);
        expect(cost(chosen)).toBe(Math.min(...all.filter(isEnough).map(cost)));
      },
    ),
    { numRuns: 500 },
  );
});

/** The lowest cost for one line, by the sums that so many parcels with so many labels can have. */
function lowestCost(parcels: readonly DraftParcel[], excess: number): readonly number[] {
  const sums = new Map<string, Set<number>>([['0 0', new Set([0])]]);
  for (const { labelled, units } of parcels) {
    const before = [...sums].map(([key, found]) => [key, [...found]] as const);
    for (const [key, found] of before) {
      const [count = 0, labels = 0] = key.split(' ').map(Number);
      const next = `${count + 1} ${labels + Number(labelled)}`;
      const more = sums.get(next) ?? new Set();
      for (const sum of found) more.add(sum + (units.get('x') ?? 0));
      sums.set(next, more);
    }
  }
  const costs = [...sums].flatMap(([key, found]) =>
    [...found].filter((sum) => sum >= excess).map((sum) => [...key.split(' ').map(Number), sum]),
  );
  return costs.sort(([a = 0, b = 0, c = 0], [d = 0, e = 0, f = 0]) => a - d || b - e || c - f)[0] ?? [];
}

test('of an order of one line no other choice is better, with a label on some of thirty parcels', () => {
  const one = fc.record({ labelled: fc.boolean(), x: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 8, maxLength: 30 }), fc.nat({ max: 60 }), (drafts, wanted) => {
      const parcels = drafts.map(({ labelled, x }, index) => parcel(String(index), labelled, { x }));
      const held = drafts.reduce((sum, { x }) => sum + x, 0);
      const excess = Math.min(wanted, held);
      const chosen = parcelsToDrop(parcels, new Map([['x', excess]]));
      const units = chosen.reduce((sum, { units: own }) => sum + (own.get('x') ?? 0), 0);
      expect([chosen.length, chosen.filter(({ labelled }) => labelled).length, units]).toEqual(
        lowestCost(parcels, excess),
      );
    }),
    { numRuns: 300 },
  );
});

test('of many equal parcels those without a label go', () => {
  const parcels = Array.from({ length: 60 }, (_, index) => parcel(String(index), index < 30, { x: 1, y: 1 }));
  const chosen = parcelsToDrop(
    parcels,
    new Map([
      ['x', 25],
      ['y', 20],
    ]),
  );
  expect(chosen.map(({ labelled }) => labelled)).toEqual(Array(25).fill(false));
});

test('many parcels are chosen from in bounded time', () => {
  const many = Array.from({ length: 400 }, (_, index) =>
    parcel(String(index), index % 3 === 0, { x: 1 + (index % 4), y: index % 2, z: (index * 7) % 5 }),
  );
  const chosen = parcelsToDrop(
    many,
    new Map([
      ['x', 300],
      ['y', 90],
      ['z', 200],
    ]),
  );
  for (const [line, count] of [
    ['x', 300],
    ['y', 90],
    ['z', 200],
  ] as const)
    expect(chosen.reduce((sum, { units }) => sum + (units.get(line) ?? 0), 0)).toBeGreaterThanOrEqual(count);
});
