import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { ReplayRow, Unsent } from '../store/replays.ts';

export const Replay = Type.Object(
  {
    replay_id: Type.String(),
    endpoint_id: Type.String(),
    status: StringEnum(['running', 'done', 'failed'], {
      description:
        '`done`: each was sent at least once; `failed`: the endpoint was paused, disabled or deleted, or deliveries were skipped, before that',
    }),
    total: Type.Integer({ description: 'Events of the range' }),
    sent: Type.Integer({ description: 'How many of them have been sent since' }),
    from: Instant({ description: 'Start of the range' }),
    to: Instant({ description: 'End of the range, not part of it' }),
    types: Nullable(
      Type.Array(Type.String(), { description: 'Types of the events; null: all types of the endpoint' }),
    ),
    only_failed: Type.Boolean({ description: 'Whether only failed deliveries are repeated' }),
    created_at: Instant(),
  },
  { title: 'WebhookReplay', description: 'Events of a range that an endpoint receives again.' },
);

function statusOf({ status }: ReplayRow, { open, cancelled }: Unsent): Static<typeof Replay>['status'] {
  if (status === 'failed') return 'failed';
  if (status === 'running' || open > 0) return 'running';
  return cancelled > 0 ? 'failed' : 'done';
}

/** @param unsent the numbers of its unsent deliveries */
export function replayView(row: ReplayRow, unsent: Unsent): Static<typeof Replay> {
  const queued = row.status === 'queued' ? row.total : row.queued;
  return {
    replay_id: row.replay_id,
    endpoint_id: row.endpoint_id,
    status: statusOf(row, unsent),
    total: row.total,
    sent: Math.max(0, Math.min(row.total, queued) - unsent.all),
    from: row.from_at,
    to: row.to_at,
    types: row.types === null ? null : [...row.types],
    only_failed: row.only_failed,
    created_at: row.created_at,
  };
}

export const REPLAY_EXAMPLE: Static<typeof Replay> = {
  replay_id: 'rpl_01kc6q3v8x0a4m2h9d7t5w1z6y',
  endpoint_id: 'whe_01kc6q3v8x0a4m2h9d7t5w1z6y',
  status: 'running',
  total: 120,
  sent: 0,
  from: '2026-06-27T00:00:00.000Z',
  to: '2026-06-28T00:00:00.000Z',
  types: ['order.*'],
  only_failed: true,
  created_at: '2026-06-28T01:00:00.000Z',
};
