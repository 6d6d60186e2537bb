/** What the marketplace tells of searches and of the market in the past: reports of weeks, prices of months. */
import { addWeeks, sundayOf, weekOf } from '../../src/kernel/australia/iso-week.ts';
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { demoEvent } from '../demo-event.ts';
import { createRandom } from '../trade/random.ts';
import type { PastOptions, PastStep } from './past-step.ts';

/** The marketplace tells at 10:00 of the second day after the end. */
const TOLD_AFTER_MS = 34 * 3_600_000;
const SEED = 6_007;

/** Searches with their product, and how often it is shown in a week. The last one has too few searchers to be shown. */
const SEARCHES = [
  ['espresso cup', 'CUP-SAND', 420],
  ['small coffee cup', 'CUP-SAND', 150],
  ['serving bowl', 'BOWL-FERN', 310],
  ['dinner plate set', 'PLATE-SET', 260],
  ['linen tea towel', 'LINEN-TEA', 380],
  ['tall vase', 'VASE-TALL', 190],
  ['merino throw', 'THROW-WOOL', 240],
  ['eucalyptus candle', 'CANDLE-GUM', 350],
  ['clay lamp', 'LAMP-CLAY', 120],
  ['ash vase for dried flowers', 'VASE-TALL', 14],
] as const;

/** Rows of a report. The replay puts the id of the product in the place of its SKU. */
function rowsOf(week: string): object[] {
  const random = createRandom(SEED + Number(week.replaceAll(/\D/g, '')));
  return SEARCHES.map(([query, seller_sku, usual]) => {
    const impressions = Math.floor((usual * random.between(80, 120)) / 100);
    const clicks = Math.floor((impressions * random.between(3, 9)) / 100);
    return {
      ...{ query, seller_sku, impressions, clicks, purchases: Math.floor(clicks / random.between(6, 12)) },
      searchers: impressions - random.between(0, Math.floor(impressions / 5)),
      market_impressions: impressions * random.between(15, 40),
    };
  });
}

const CATEGORY = 'Home > Kitchen > Mugs';
const CONTRIBUTORS = { contributors: 23, largest_share_bps: 1_900 };
/** Of the second week too few sellers have contributed. */
const HELD_BACK = { contributors: 8, largest_share_bps: 1_900 };

const toldAt = (lastDay: string): number => dayOf(addDays(lastDay, 1)).start + TOLD_AFTER_MS;

function weekSteps({ beganAt, until, sellerId }: PastOptions): PastStep[] {
  const steps: PastStep[] = [];
  const first = addWeeks(weekOf(sydneyDate(beganAt)), 1);
  for (let week = first; toldAt(sundayOf(week)) < until; week = addWeeks(week, 1)) {
    const at = toldAt(sundayOf(week));
    const about = { sellerId, subject: sellerId, at, data: { period: week, rows: rowsOf(week) } };
    const indexes = { demand_index: 96 + (steps.length % 9) * 3, search_index: 104 };
    const data = { period: week, currency: 'AUD', ...CONTRIBUTORS, ...indexes };
    const market = week === addWeeks(first, 1) ? { ...data, ...HELD_BACK } : data;
    const cell = { type: 'intel.observed', subject: CATEGORY, at };
    const events = [
      demoEvent({ id: `past-search-${week}`, type: 'search.observed', ...about }),
      demoEvent({ id: `past-intel-${week}`, ...cell, data: market }),
    ];
    steps.push(...events.map((event) => ({ kind: 'event' as const, at, event })));
  }
  return steps;
}

function monthSteps({ beganAt, until }: PastOptions): PastStep[] {
  const steps: PastStep[] = [];
  const price = { p25_minor: 1_420, p50_minor: 1_890, p75_minor: 2_610 };
  for (let day = sydneyDate(beganAt); toldAt(day) < until; day = addDays(day, 1)) {
    if (!addDays(day, 1).endsWith('-01')) continue;
    const at = toldAt(day);
    const period = day.slice(0, 'YYYY-MM'.length);
    const data = { period, currency: 'AUD', ...CONTRIBUTORS, price };
    const cell = { id: `past-intel-${period}`, type: 'intel.observed', subject: CATEGORY };
    steps.push({ kind: 'event', at, event: demoEvent({ ...cell, at, data }) });
  }
  return steps;
}

export const insightSteps = (options: PastOptions): PastStep[] => [
  ...weekSteps(options),
  ...monthSteps(options),
];
