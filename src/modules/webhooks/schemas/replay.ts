import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { ReplayRow } from '../store/replays.ts';

export const Replay = Type.Object(
  {
    replay_id: Type.String(),
    endpoint_id: Type.String(),
    status: StringEnum(['running', 'done', 'failed'], {
      description: '`done`: each was sent at least once; `failed`: the endpoint is not active any more',
    }),
    total: Type.Integer({ description: 'Events of the range' }),
    sent: Type.Integer({ description: 'How many of them have been sent since' }),
    from: Instant(),
    to: Instant(),
    types: Nullable(Type.Array(Type.String())),
    only_failed: Type.Boolean(),
    created_at: Instant(),
  },
  { title: 'WebhookReplay' },
);

/** @param unsent deliveries in the queue that have not been sent since */
export function replayView(row: ReplayRow, unsent: number): Static<typeof Replay> {
  const queued = row.status === 'queued';
  return {
    replay_id: row.replay_id,
    endpoint_id: row.endpoint_id,
    status: row.status === 'failed' ? 'failed' : queued && unsent === 0 ? 'done' : 'running',
    total: row.total,
    sent: queued ? Math.max(0, row.total - unsent) : 0,
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
