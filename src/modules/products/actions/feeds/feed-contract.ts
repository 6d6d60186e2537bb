/**
 * The feed contract of the calling seller, computed from the constants that enforce it.
 * Source: docs/design/feeds-and-imports.md#feed-contract.
 */

import { startOfDay } from '../../../../kernel/australia/sydney.ts';
import { csvWriter } from '../../../../kernel/csv-writer.ts';
import { planLimit } from '../../../../kernel/plans.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import { CONTENT_TYPES, DELIMITERS, ENCODINGS } from '../../domain/feed-run/formats.ts';
import {
  asyncAvailable,
  FEED_PLAN_LIMITS,
  feedLimits,
  PLAN_LIMIT_ANSWERS,
} from '../../domain/feed-run/limits.ts';
import { CONTRACT_VERSION, FEED_MODES, ON_ERROR } from '../../domain/feed-run/run.ts';
import { columnContract, NATIVE_TEMPLATE } from '../../domain/native-feed/column-contract.ts';
import { PROFILE_NAMES } from '../../domain/profiles/profile.ts';
import { ROW_CODES } from '../../domain/row-codes.ts';
import { productSettings } from '../../settings.ts';
import { countRunsSince } from '../../store/feed-runs.ts';
import { feedErrors } from '../feed-errors.ts';

const nativeTemplate = csvWriter<null>(
  NATIVE_TEMPLATE.map(([name, example]) => ({ name, kind: 'text', value: () => example })),
);

/** Each is accepted as it stands at its path; the second one sets the stock of the product of the first. */
const templates = [
  {
    name: 'products.csv',
    path: '/api/v1/products/feed-runs',
    content_type: 'text/csv',
    content: nativeTemplate.header + nativeTemplate.line(null),
  },
  {
    name: 'inventory.csv',
    path: '/api/v1/products/inventory/import',
    content_type: 'text/csv',
    content: 'seller_sku,quantity,reorder_point\r\nMUG-BLU,25,5\r\n',
  },
];

const codes = Object.entries(ROW_CODES).map(([code, { severity, message, hint }]) => ({
  code,
  severity,
  message,
  ...(hint === undefined ? {} : { hint }),
}));
const fileErrors = Object.values(feedErrors).map(({ code, status, detail }) => ({
  code,
  status,
  message: detail,
}));

export async function feedContract(ctx: HandlerCtx) {
  const since = new Date(startOfDay(ctx.now()).start).toISOString();
  const runs = await countRunsSince(ctx, since);
  const { plan } = await ctx.standing();
  const settings = productSettings.of(ctx.services.config);
  const limits = feedLimits(settings, plan);
  return {
    contract_version: CONTRACT_VERSION,
    ...limits,
    content_types: CONTENT_TYPES,
    content_encodings: ['identity', 'gzip'],
    encodings: ENCODINGS,
    delimiters: DELIMITERS,
    modes: FEED_MODES,
    on_error: ON_ERROR,
    plan_limits: FEED_PLAN_LIMITS.map((limit) => ({
      limit,
      allowed: planLimit(plan, limit),
      ...PLAN_LIMIT_ANSWERS[limit],
    })),
    async_available: asyncAvailable(plan),
    runs_remaining_today: Math.max(0, planLimit(plan, 'feed_runs_per_day') - runs),
    evidence_retention_days: settings.EVIDENCE_RETENTION_DAYS,
    columns: columnContract(),
    import_profiles: PROFILE_NAMES,
    error_codes: codes,
    file_errors: fileErrors,
    templates,
  };
}
