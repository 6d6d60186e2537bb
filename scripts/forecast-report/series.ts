/** The series that the report judges forecasts on: public ones, read from files, and made ones. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../demo/trade/random.ts';
import type { Series } from './scores.ts';

const DAY_MS = 86_400_000;
const iso = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Invoice, product, units, and month, day and year of a line. */
const LINE = /^([^,]*),([^,]*),(?:"(?:[^"]|"")*"|[^,]*),(-?\d+),(\d+)\/(\d+)\/(\d+) /;
/** The other codes are postage, fees and corrections. */
const PRODUCT = /^\d{5}[A-Z]*$/;
const CANCELLED = 'C';

/** Units ordered of each product of "Online Retail", the products that sold on the most days first. */
export function onlineRetail(csv: string): Series[] {
  const products = new Map<string, Map<number, number>>();
  let [first, last] = [Infinity, -Infinity];
  for (const line of csv.split('\n')) {
    const [, invoice = '', code = '', units, month, date, year] = LINE.exec(line) ?? [];
    const product = code.toUpperCase();
    if (invoice.startsWith(CANCELLED) || !PRODUCT.test(product) || Number(units) <= 0) continue;
    const day = Date.UTC(Number(year), Number(month) - 1, Number(date)) / DAY_MS;
    [first, last] = [Math.min(first, day), Math.max(last, day)];
    const days = products.get(product) ?? new Map<number, number>();
    products.set(product, days.set(day, (days.get(day) ?? 0) + Number(units)));
  }
  return [...products]
    .sort(([a, ofA], [b, ofB]) => ofB.size - ofA.size || (a < b ? -1 : 1))
    .map(([product, days]) => ({
      name: `Online Retail ${product}`,
      from: iso(first),
      units: Array.from({ length: last - first + 1 }, (_, index) => days.get(first + index) ?? 0),
    }));
}

/** Bicycles lent on each day of "Bike Sharing", to casual and to registered users. */
export function bikeSharing(csv: string): Series[] {
  const [header = [], ...rows] = csv
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const of = (column: string): string[] => rows.map((row) => row[header.indexOf(column)] ?? '');
  return ['casual', 'registered'].map((column) => ({
    name: `Bike Sharing ${column}`,
    from: of('dteday')[0] ?? '',
    units: of(column).map(Number),
  }));
}

export const FILES = [
  {
    file: 'online-retail.csv',
    from: 'https://archive.ics.uci.edu/static/public/352/data.csv',
    read: onlineRetail,
  },
  {
    file: 'day.csv',
    from: 'https://archive.ics.uci.edu/static/public/275/bike+sharing+dataset.zip',
    read: bikeSharing,
  },
] as const;

/** @throws when a file is missing */
export const publicSeries = (folder: string): Series[][] =>
  FILES.map(({ file, read }) => read(readFileSync(join(folder, file), 'utf8')));

interface Made {
  readonly name: string;
  readonly seed: number;
  /** Orders of a mean day. */
  readonly orders: number;
  /** Chance that an order has one unit more. */
  readonly more: number;
  readonly weekdays: readonly number[];
}

const MADE_DAYS = 730;
/** A Monday. */
const MADE_FROM = '2024-01-01';
const MADE: readonly Made[] = [
  { name: 'Made steady', seed: 1, orders: 8, more: 0.3, weekdays: [0.7, 0.7, 0.9, 0.9, 1.1, 1.5, 1.2] },
  { name: 'Made slow', seed: 2, orders: 0.5, more: 0.2, weekdays: [1, 1, 1, 1, 1, 1, 1] },
];

/** Orders that come by chance, each of one unit or more; the level never changes. */
function make({ name, seed, orders, more, weekdays }: Made): Series {
  const { next } = createRandom(seed);
  const units = Array.from({ length: MADE_DAYS }, (_, day) => {
    let sold = 0;
    const end = Math.exp(-orders * (weekdays[day % weekdays.length] ?? 1));
    for (let chance = next(); chance > end; chance *= next()) {
      sold += 1;
      while (next() < more) sold += 1;
    }
    return sold;
  });
  return { name, from: MADE_FROM, units };
}

export const madeSeries = (): Series[] => MADE.map(make);
