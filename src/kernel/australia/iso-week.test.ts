import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { addWeeks, mondayOf, sundayOf, weekOf } from './iso-week.ts';

test('a week belongs to the year of its Thursday', () => {
  expect(['2026-07-20', '2026-07-26', '2027-01-03', '2027-01-04', '2024-12-30'].map(weekOf)).toEqual([
    '2026-W30',
    '2026-W30',
    '2026-W53',
    '2027-W01',
    '2025-W01',
  ]);
  expect([mondayOf('2026-W30'), sundayOf('2026-W30')]).toEqual(['2026-07-20', '2026-07-26']);
  expect(addWeeks('2027-W01', -1)).toBe('2026-W53');
  expect(addWeeks('2026-W52', 2)).toBe('2027-W01');
});

test('a year without a week 53 has none', () => {
  expect([mondayOf('2026-W53'), mondayOf('2025-W53')]).toEqual(['2026-12-28', undefined]);
  expect(() => sundayOf('2025-W53')).toThrow(RangeError);
});

test('each day of fifty years has the week that the calendar says', () => {
  for (let day = Temporal.PlainDate.from('2000-01-01'); day.year < 2_050; day = day.add({ days: 1 })) {
    const name = `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
    const monday = day.subtract({ days: day.dayOfWeek - 1 });
    expect([weekOf(day.toString()), mondayOf(name)]).toEqual([name, monday.toString()]);
  }
});
