import Type from 'typebox';
import { startOfDay, sydneyDate } from '../../../kernel/australia/sydney.ts';
import { invalid } from '../../../kernel/errors.ts';
import { isDay } from '../../../kernel/instant.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { inEffect, scheduleOn } from '../domain/in-effect.ts';
import type { FeeSchedule } from '../domain/schedule.ts';
import {
  RATES_EXAMPLE,
  RatesSchema,
  SCHEDULE_EXAMPLE,
  ScheduleSchema,
  scheduleJson,
} from '../schemas/schedule.ts';
import { allSchedules } from '../store/schedules.ts';
import { access } from './access.ts';

const refuseDay = (input: string, msg: string, type: string) =>
  invalid([{ loc: ['query', 'at'], msg, type, input }]);

const get = defineRoute({
  id: 'fees.schedule.get',
  method: 'GET',
  path: '/schedule',
  summary: 'The rates that count on a day',
  access,
  cache: 'no-store',
  query: Type.Object({
    at: Type.Optional(
      Type.String({ maxLength: 10, description: 'Sydney day, past or to come; default today' }),
    ),
  }),
  ok: [{ status: 200, description: 'The schedule', schema: ScheduleSchema, example: SCHEDULE_EXAMPLE }],
  errors: [],
  handler: async (ctx, { query }) => {
    const { at = sydneyDate(ctx.now()) } = query;
    if (!isDay(at)) throw refuseDay(at, 'Must be a day, YYYY-MM-DD.', 'format_invalid');
    const found = scheduleOn(await allSchedules(ctx.db), at);
    if (found === undefined)
      throw refuseDay(at, 'There were no rates on that day yet.', 'greater_than_equal');
    const body = scheduleJson(found.schedule, found.next);
    return { body, etag: shownTag('1', body) };
  },
});

function ratesJson(schedules: readonly FeeSchedule[], now: number) {
  const today = sydneyDate(now);
  const counting = inEffect(schedules);
  const views = counting.map((schedule, at) => scheduleJson(schedule, counting[at + 1]));
  const current = views.findLast(({ effective_from }) => effective_from <= today);
  if (current === undefined) throw new Error(`no rates count on ${today}`);
  return {
    current,
    upcoming: views.filter(({ effective_from }) => effective_from > today),
    history: views.filter(({ effective_from }) => effective_from < current.effective_from).reverse(),
    as_of: new Date(now).toISOString(),
  };
}

/** How long a cache may keep the rates: a schedule may be published at any time for a later day. */
const FRESH_SECONDS = 300;

/** How long the rates stay valid: at most until the Sydney day ends, because other rates may begin then. */
const freshSeconds = (now: number): number =>
  Math.min(FRESH_SECONDS, Math.floor((startOfDay(now).next - now) / 1_000));

const rates = defineRoute({
  id: 'fees.published_rates.get',
  method: 'GET',
  path: '/published-rates',
  summary: 'The marketplace’s rates, without sign-in',
  description: 'Without a token; may be kept for minutes, and asked for again by its entity tag.',
  access: { auth: 'public', rate: 'read', idempotency: 'none' },
  ok: [{ status: 200, description: 'The rates', schema: RatesSchema, example: RATES_EXAMPLE }],
  errors: [],
  handler: async (ctx) => {
    const schedules = await ctx.services.withSystem('published-rates', 'read', allSchedules);
    const body = ratesJson(schedules, ctx.now());
    // The instant of the read is no change of the rates.
    const { as_of: _, ...shown } = body;
    return {
      body,
      etag: shownTag('1', shown),
      headers: { 'cache-control': `public, max-age=${freshSeconds(ctx.now())}` },
    };
  },
});

export const scheduleRoutes = [get, rates];
