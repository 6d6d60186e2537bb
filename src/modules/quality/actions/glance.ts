import Type from 'typebox';
import type { HandlerCtx } from '../../../platform/services.ts';
import { readSnapshot } from '../../facts/index.ts';
import { readProgress } from '../store/listings.ts';
import { countedThrough } from '../store/performance.ts';
import { METRICS_CONTRACT, metricsOf } from './performance.ts';

/** The frame of the figures of the nights, and the last day that they count; undefined before the first night. */
export async function nightFrame(ctx: HandlerCtx) {
  const { frame } = await readSnapshot(ctx, METRICS_CONTRACT, Type.Null());
  return { frame, through: frame.facts_through_on ?? undefined };
}

/**
 * What the dashboard shows; null: it is not computed yet. It queues no computation, because every sign-in
 * reads it.
 */
export async function qualityAtAGlance(ctx: HandlerCtx) {
  const [progress, through] = await Promise.all([readProgress(ctx), countedThrough(ctx)]);
  const metrics = through === undefined ? null : await metricsOf(ctx, through, 30);
  return {
    not_ready: progress?.filled_to === null ? progress.sums.products - progress.sums.ready : null,
    metrics_missed: metrics?.filter(({ status }) => status === 'missed').length ?? null,
  };
}
