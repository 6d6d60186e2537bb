/** What is to be written about deliveries in one transaction. */
import type { Db } from '../../../kernel/context.ts';
import type { EndpointKey } from '../store/endpoint-row.ts';
import type { QueuedRow } from '../store/queue.ts';
import type { AttemptResult, Lane } from '../store/results.ts';

/** Something else about an endpoint that belongs into the same transaction. */
export type Effect = (db: Db) => Promise<void>;

export interface EndpointEffect extends EndpointKey {
  readonly effect: Effect;
}

export interface ResultBatch {
  readonly results: readonly AttemptResult[];
  /** Without an attempt: deliveries whose event is gone. */
  readonly closed: readonly AttemptResult[];
  /** Those that begin to wait, and where those that have waited may go. */
  readonly parked: readonly QueuedRow[];
  readonly lanes: readonly Lane[];
  readonly effects: readonly EndpointEffect[];
}

export const NOTHING: ResultBatch = { results: [], closed: [], parked: [], lanes: [], effects: [] };

const everything = ({ results, closed, parked, lanes, effects }: ResultBatch): EndpointKey[] => [
  ...results,
  ...closed,
  ...parked,
  ...lanes,
  ...effects,
];

export const isNothing = (batch: ResultBatch): boolean => everything(batch).length === 0;

/** Each endpoint once. */
export const endpointsOf = (batch: ResultBatch): EndpointKey[] => [
  ...new Map(everything(batch).map((one) => [one.endpoint_id, one])).values(),
];

/** What is about some of the endpoints. */
export function onlyOf(batch: ResultBatch, has: (endpointId: string) => boolean): ResultBatch {
  const own = <Item extends EndpointKey>(items: readonly Item[]): Item[] =>
    items.filter(({ endpoint_id }) => has(endpoint_id));
  return {
    results: own(batch.results),
    closed: own(batch.closed),
    parked: own(batch.parked),
    lanes: own(batch.lanes),
    effects: own(batch.effects),
  };
}

/** The same, each item by itself. */
export const apart = ({ results, closed, parked, lanes, effects }: ResultBatch): ResultBatch[] => [
  ...results.map((result) => ({ ...NOTHING, results: [result] })),
  ...closed.map((result) => ({ ...NOTHING, closed: [result] })),
  ...parked.map((row) => ({ ...NOTHING, parked: [row] })),
  ...lanes.map((lane) => ({ ...NOTHING, lanes: [lane] })),
  ...effects.map((effect) => ({ ...NOTHING, effects: [effect] })),
];
