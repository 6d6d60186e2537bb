import Type from 'typebox';
import { startOfDay, sydneyDate } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { isDay } from '../../../kernel/instant.ts';
import { CurrencyCode, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { access, currencyQuery } from '../../reconciliation/index.ts';
import { inEffect, scheduleOn } from '../domain/in-effect.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';
import {
  RATES_EXAMPLE,
  RatesSchema,
  SCHEDULE_EXAMPLE,
  ScheduleSchema,
  scheduleJson,
} from '../schemas/schedule.ts';
import { allSchedules } from '../store/schedules.ts';

const refuseDay = (input: string, msg: string, type: string) =>
  invalid([{ loc: ['query', 'at'], msg, type, input }]);

const get = defineRoute({
  id: 'fees.schedule.get',
  method: 'GET',
  path: '/schedule',
  tagged: true,
  summary: 'Read the rates of a day',
  description: 'Shows the default rates and those of categories that are valid at the instant `at`.',
  access,
  cache: 'no-store',
  query: Type.Object({
    ...currencyQuery,
    at: Type.Optional(
      Type.String({ maxLength: 10, description: 'Sydney day, past or future; defaults to today' }),
    ),
  }),
  ok: okJson('The schedule', ScheduleSchema, SCHEDULE_EXAMPLE),
  errors: [],
  handler: async (ctx, { query }) => {
    const { at = sydneyDate(ctx.now()), currency = (await ctx.standing()).currency } = query;
    if (!isDay(at)) throw refuseDay(at, 'Must be a day, YYYY-MM-DD.', 'format_invalid');
    const found = scheduleOn(await allSchedules(ctx.db), currency, at);
    if (found === undefined)
      throw refuseDay(at, `No rates for orders in ${currency} count on that day.`, 'greater_than_equal');
    const body = scheduleJson(found.schedule, found.next);
    return { body, etag: shownTag('1', body) };
  },
});

function ratesJson(schedules: readonly FeeSchedule[], currency: string, now: number) {
  const today = sydneyDate(now);
  const counting = inEffect(schedules, currency);
  const views = counting.map((schedule, at) => scheduleJson(schedule, counting[at + 1]));
  const current = views.findLast(({ effective_from }) => effective_from <= today);
  const isPast = ({ effective_from }: (typeof views)[number]) =>
    current !== undefined && effective_from < current.effective_from;
  return {
    current: current ?? null,
    upcoming: views.filter(({ effective_from }) => effective_from > today),
    history: views.filter(isPast).reverse(),
    as_of: new Date(now).toISOString(),
  };
}

/** How long a cache may keep the rates. It is short, because the marketplace may publish a schedule at any time. */
const FRESH_SECONDS = 300;

/** How long the rates are valid: at most until the Sydney day ends, because other rates may begin then. */
const freshSeconds = (now: number): number =>
  Math.min(FRESH_SECONDS, Math.floor((startOfDay(now).next - now) / 1_000));

const rates = defineRoute({
  id: 'fees.published_rates.get',
  method: 'GET',
  path: '/published-rates',
  tagged: true,
  summary: 'Read the marketplace’s published rates',
  description: 'Needs no token. Cacheable for a few minutes; supports If-None-Match.',
  access: { auth: 'public', rate: 'read', idempotency: 'none' },
  query: Type.Object({
    currency: withDefault(
      DEFAULT_SCHEDULE.currency,
      Type.Optional(CurrencyCode({ description: 'Currency of the orders that the rates are for, ISO 4217' })),
    ),
  }),
  ok: okJson('The rates', RatesSchema, RATES_EXAMPLE),
  errors: [],
  handler: async (ctx, { query: { currency = DEFAULT_SCHEDULE.currency } }) => {
    const schedules = await ctx.services.withSystem('published-rates', 'read', allSchedules);
    const body = ratesJson(schedules, currency, ctx.now());
    // The answer shows the instant of the read, which must not change the entity tag.
    const { as_of: _, ...shown } = body;
    return {
      body,
      etag: shownTag('1', shown),
      headers: { 'cache-control': `public, max-age=${freshSeconds(ctx.now())}` },
    };
  },
});

export const scheduleRoutes = [get, rates];
