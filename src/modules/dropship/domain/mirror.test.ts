import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Acceptance, COUNT_LIFE_MS, type Mirrored, mirrorOf } from './mirror.ts';

const START = Date.parse('2026-06-28T00:00:00Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const TOLD: Mirrored = {
  ...{ available: null, available_as_of: null, item_status: 'active', supplier_status: 'active' },
  ...{ unit_cost_minor: 1_840n, buffer_units: 5, paused_by_seller: false, empty_at: null },
  ...{ unanswered: 0, acceptances: [] },
};

/** A seller's stock of one listing, moved as orders and the mirror move it. */
class Shop {
  told: Mirrored = TOLD;
  reserved = 0;
  on_hand = 0;
  minute = 0;

  get available(): number {
    return this.on_hand - this.reserved;
  }

  mirror(): void {
    this.on_hand = this.reserved + mirrorOf(this.told, START + this.minute * 60_000).available;
  }

  report(available: number, minute: number): void {
    const asOf = this.told.available_as_of;
    if (asOf !== null && asOf > at(minute)) return;
    this.told = { ...this.told, available, available_as_of: at(minute) };
    this.mirror();
  }

  /** @returns the units that were in stock */
  place(units: number): number {
    const taken = Math.min(units, this.available);
    this.reserved += taken;
    this.told = { ...this.told, unanswered: this.told.unanswered + taken };
    return taken;
  }

  accept(units: number, minute: number): void {
    const { unanswered, acceptances } = this.told;
    const accepted: Acceptance = { at: at(minute), units };
    this.told = { ...this.told, unanswered: unanswered - units, acceptances: [...acceptances, accepted] };
    this.mirror();
  }

  reject(units: number, minute: number): void {
    this.told = { ...this.told, unanswered: this.told.unanswered - units, empty_at: at(minute) };
    this.mirror();
  }

  ship(units: number): void {
    this.reserved -= units;
    this.on_hand -= units;
  }

  get state(): readonly number[] {
    const { count, pending } = mirrorOf(this.told, START + this.minute * 60_000);
    return [count ?? -1, pending, this.on_hand, this.reserved, this.available];
  }
}

test('a count, orders, answers and a late count, to the unit', () => {
  const shop = new Shop();
  const seen: (readonly number[])[] = [];
  const see = () => seen.push(shop.state);
  shop.report(20, 0);
  see();
  expect(shop.place(4)).toBe(4);
  see();
  shop.accept(4, 1);
  see();
  shop.report(16, 2);
  see();
  shop.report(20, 0);
  see();
  expect(shop.place(12)).toBe(11);
  see();
  shop.report(9, 3);
  see();
  shop.accept(9, 4);
  shop.reject(2, 4);
  see();
  shop.ship(4);
  see();
  shop.report(3, 5);
  see();
  // Two units went back to the seller, who cancels them; a release takes units away with their reservation.
  shop.ship(2);
  shop.report(30, 6);
  see();
  expect(seen).toEqual([
    [20, 0, 15, 0, 15],
    [20, 4, 15, 4, 11],
    [20, 4, 15, 4, 11],
    [16, 0, 15, 4, 11],
    [16, 0, 15, 4, 11],
    [16, 11, 15, 15, 0],
    [9, 11, 15, 15, 0],
    [0, 9, 15, 15, 0],
    [0, 9, 11, 11, 0],
    [3, 0, 11, 11, 0],
    [30, 0, 34, 9, 25],
  ]);
});

describe('a listing', () => {
  const known: Mirrored = { ...TOLD, available: 20, available_as_of: at(0) };
  const later = START + COUNT_LIFE_MS;

  test('has nothing for sale while a reason pauses it', () => {
    const paused: readonly (readonly [Partial<Mirrored>, number, string])[] = [
      [{ paused_by_seller: true }, START, 'by_seller'],
      [{}, later + 1, 'availability_stale'],
      [{ available: null }, START, 'availability_unknown'],
      [{ available_as_of: null }, START, 'availability_unknown'],
      [{ supplier_status: 'paused' }, START, 'supplier_not_active'],
      [{ item_status: 'discontinued' }, START, 'item_discontinued'],
      [{ unit_cost_minor: null }, START, 'not_for_dropship'],
    ];
    for (const [more, now, reason] of paused)
      expect(mirrorOf({ ...known, ...more }, now)).toMatchObject({ paused_reasons: [reason], available: 0 });
    expect(mirrorOf(known, later)).toMatchObject({ paused_reasons: [], available: 15 });
  });

  test('is empty from a rejection as out of stock until a later count', () => {
    expect(mirrorOf({ ...known, empty_at: at(0) }, START)).toMatchObject({ count: 0, available: 0 });
    expect(mirrorOf({ ...known, empty_at: at(-1) }, START)).toMatchObject({ count: 20, available: 15 });
  });

  test('counts an acceptance at the instant of the count as shown', () => {
    const accepted = (minute: number) => ({ ...known, acceptances: [{ at: at(minute), units: 3 }] });
    expect([-1, 0, 1].map((minute) => mirrorOf(accepted(minute), START).pending)).toEqual([0, 0, 3]);
  });
});

const RUNS = { numRuns: 1_000 };
const minute = fc.integer({ min: 0, max: 30 });
const units = fc.integer({ min: 0, max: 12 });
const command = fc.oneof(
  fc.record({ kind: fc.constant('report' as const), units: fc.integer({ min: 0, max: 40 }), minute }),
  fc.record({ kind: fc.constant('place' as const), units, minute }),
  fc.record({ kind: fc.constant('accept' as const), units, minute }),
  fc.record({ kind: fc.constant('reject' as const), units, minute }),
  fc.record({ kind: fc.constant('ship' as const), units, minute }),
  fc.record({ kind: fc.constant('mirror' as const), units, minute }),
);

test('no placement promises more than the count less the buffer, and no reserved unit is lost', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const shop = new Shop();
      let accepted = 0;
      for (const { kind, units: wanted, minute: told } of commands) {
        const before = mirrorOf(shop.told, START);
        if (kind === 'report') shop.report(wanted, told);
        if (kind === 'place') {
          const taken = shop.place(wanted);
          const { pending } = mirrorOf(shop.told, START);
          const free = Math.max(0, (before.count ?? 0) - shop.told.buffer_units);
          if (taken > 0) expect(pending).toBeLessThanOrEqual(free);
        }
        const answered = Math.min(wanted, shop.told.unanswered);
        if (kind === 'accept' && answered > 0) {
          shop.accept(answered, told);
          accepted += answered;
        }
        if (kind === 'reject' && answered > 0) shop.reject(answered, told);
        if (kind === 'ship') {
          const sent = Math.min(wanted, accepted);
          accepted -= sent;
          shop.ship(sent);
        }
        if (kind === 'mirror') shop.mirror();
        expect(shop.on_hand).toBeGreaterThanOrEqual(shop.reserved);
        expect(shop.reserved).toBeGreaterThanOrEqual(0);
      }
    }),
    RUNS,
  );
});

test('counts in any order, some of them twice, end in the same units', () => {
  const report = fc.record({ units: fc.integer({ min: 0, max: 40 }), minute });
  const reports = fc.uniqueArray(report, { selector: (one) => one.minute, minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      reports.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length })),
      ),
      ([all, drawn]) => {
        const ends = [all, [...drawn, ...all], [...all].reverse()].map((order) => {
          const shop = new Shop();
          for (const { units: counted, minute: told } of order) shop.report(counted, told);
          return shop.state;
        });
        expect(ends[1]).toEqual(ends[0]);
        expect(ends[2]).toEqual(ends[0]);
      },
    ),
    RUNS,
  );
});
