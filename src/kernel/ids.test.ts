import { describe, expect, it } from 'vitest';
import { createIds, idPattern, idsFrom } from './ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const value = (text: string): number =>
  [...text].reduce((sum, letter) => sum * 32 + ALPHABET.indexOf(letter), 0);

describe('identifiers', () => {
  it('have the prefix of their kind, then 26 characters of Crockford base 32', () => {
    const ids = createIds(() => 1_790_000_000_000);
    for (const kind of ['ord_', 'slr_'] as const) {
      const id = ids.next(kind);
      expect(id).toMatch(new RegExp(`^${kind}[${ALPHABET}]{26}$`));
      expect(id).toMatch(new RegExp(idPattern(kind)));
    }
  });

  it('tell the instant at which they were made', () => {
    const ms = Date.parse('2026-11-22T03:04:05.678Z');
    expect(
      value(
        createIds(() => ms)
          .next('ord_')
          .slice(4, 14),
      ),
    ).toBe(ms);
  });

  it('of an instant and later are those from its beginning on', () => {
    const ms = Date.parse('2026-11-22T03:04:05.678Z');
    const made = (at: number): string => createIds(() => at).next('ord_');
    expect([made(ms - 1), made(ms), made(ms + 1)].map((id) => id >= idsFrom('ord_', ms))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('are in order of creation: within a millisecond, after 4,096 in one, and when the clock goes back', () => {
    const instants = [...Array(10_000).fill(5_000), ...Array(100).fill(4_000), ...Array(100).fill(9_000_000)];
    let at = 0;
    const ids = createIds(() => instants[at++]);
    const made = instants.map(() => ids.next('evt_'));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('have random bits in every one of the last 13 characters, and three in the one before', () => {
    const ids = createIds(() => 1_790_000_000_000);
    const seen = Array.from({ length: 14 }, () => new Set<string>());
    for (let i = 0; i < 4_000; i += 1) {
      const tail = ids.next('evt_').slice(-14);
      for (const [place, letters] of seen.entries()) letters.add(tail[place] ?? '');
    }
    expect(seen.map((letters) => letters.size)).toEqual(Array(14).fill(32));
  });

  it.each([0, -5, 2 ** 48 - 1])('have their shape at the instant %d of the clock', (ms) => {
    const ids = createIds(() => ms);
    const made = Array.from({ length: 5_000 }, () => ids.next('ord_'));
    expect(made.filter((id) => !/^ord_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toEqual([]);
    expect([...made].sort()).toEqual(made);
  });

  it('share no random bits with each other', () => {
    const tails = Array.from({ length: 4_000 }, () =>
      createIds(() => 0)
        .next('evt_')
        .slice(-13),
    );
    expect(new Set(tails).size).toBe(tails.length);
  });
});
