/** `marketplace.quality.targets_published`: targets from a day on, which never judge earlier days. */
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { DAY_FROM_2000, StringEnum } from '../../../kernel/schema.ts';
import { METRICS, type Target } from '../domain/performance.ts';
import { insertTargets, targetsOf } from '../store/performance.ts';

const BPS_MAX = 10_000;
const Data = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 64 }),
  effective_from: Type.String({ format: 'date', ...DAY_FROM_2000, description: 'Sydney day' }),
  targets: Type.Array(
    Type.Object({
      metric: StringEnum(METRICS),
      max_bps: Type.Integer({ minimum: 0, maximum: BPS_MAX, description: 'Largest rate that meets it' }),
    }),
    { minItems: 1, maxItems: METRICS.length },
  ),
});

const shown = (targets: readonly Target[]): string[] =>
  targets.map(({ metric, effective_from, max_bps }) => `${metric} ${effective_from} ${max_bps}`).sort();

export const targetsPublished = defineMarketplaceEvent({
  type: 'marketplace.quality.targets_published',
  summary: 'Targets of performance from a day on; they judge no day before their publication',
  subject: 'version of the targets',
  schema: Data,
  example: {
    version: '2026-2',
    effective_from: '2026-09-01',
    targets: [{ metric: 'late_dispatch', max_bps: 400 }],
  },
  example_subject: '2026-2',
  apply: async ({ db }, { data, subject, time }) => {
    const { version, effective_from: from, targets } = data;
    if (subject !== null && subject !== version)
      throw new IntakeRejection('data_invalid', 'subject and data/version name different versions');
    if (new Set(targets.map(({ metric }) => metric)).size < targets.length)
      throw new IntakeRejection('data_invalid', 'data/targets names a metric twice');
    const known = await targetsOf(db, version);
    // A version that is sent again keeps its first day.
    const published = sydneyDate(Date.parse(known[0]?.published_at ?? time));
    const [, effective_from = from] = [from, published].sort();
    const rows = targets.map((target): Target => ({ version, effective_from, ...target }));
    if (known.length === 0 && (await insertTargets(db, rows, time))) return { status: 'applied' };
    if (isDeepStrictEqual(shown(known), shown(rows))) return { status: 'stale' };
    throw new IntakeRejection(
      'version_reused',
      `The version ${version} was published before with other targets.`,
    );
  },
});
