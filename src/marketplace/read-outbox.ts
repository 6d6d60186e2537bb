/**
 * The sellers' events in one order over all sellers, for the marketplace to apply.
 * Source: docs/design/wire.md#internal-listener.
 */
import { type FieldProblem, invalid } from '../kernel/errors.ts';
import { wholeEvents } from '../platform/outbox/fill-events.ts';
import type { Services } from '../platform/services.ts';
import { listOutboxEvents, type OutboxEvent } from './store/outbox-events.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
/** The strict form of a whole number: no sign, space or leading zero. */
const WHOLE = /^(0|[1-9]\d{0,17})$/;

export interface OutboxPage {
  readonly data: readonly OutboxEvent[];
  /** The next `after`; unchanged while there is no new event. */
  readonly next_after: string;
  readonly has_more: boolean;
}

interface Bounds {
  readonly after: bigint;
  readonly limit: number;
}

/** @throws ApiError 422 that names the parameter */
function readBounds(query: unknown): Bounds {
  const given = query as Readonly<Record<string, unknown>>;
  const problems: FieldProblem[] = [];
  const refuse = (name: string, msg: string, type: string) =>
    problems.push({ loc: ['query', name], msg, type, input: given[name] });
  for (const name of Object.keys(given))
    if (name !== 'after' && name !== 'limit') refuse(name, 'There is no such parameter.', 'extra_forbidden');
  const whole = (name: string, standard: number): bigint => {
    const value = given[name] ?? String(standard);
    if (typeof value === 'string' && WHOLE.test(value)) return BigInt(value);
    refuse(name, 'Must be a whole number from 0.', 'int_parsing');
    return 0n;
  };
  const after = whole('after', 0);
  const limit = whole('limit', LIMIT_DEFAULT);
  if (problems.length === 0 && (limit < 1n || limit > BigInt(LIMIT_MAX)))
    refuse('limit', `Must be from 1 to ${LIMIT_MAX}.`, 'out_of_range');
  if (problems.length > 0) throw invalid(problems);
  return { after, limit: Number(limit) };
}

/**
 * A page of the events for the marketplace.
 *
 * @param query `after`: the `position` of the last event that was applied, `0` at first; `limit`: 1 to 1,000
 * @throws ApiError 422 that names the parameter
 */
export async function readOutbox(
  { withSystem, fillEvents }: Pick<Services, 'withSystem' | 'fillEvents'>,
  query: unknown,
): Promise<OutboxPage> {
  const { after, limit } = readBounds(query);
  const rows = await withSystem('marketplace-event', 'read', (db) => listOutboxEvents(db, after, limit + 1), {
    lookUp: true,
  });
  const page = rows.slice(0, limit);
  const whole = await wholeEvents(page, (bare) =>
    withSystem('marketplace-event', 'write', (db) => fillEvents.keeping(db, bare)),
  );
  const data = whole.map(({ sequence, ...event }) => event);
  return { data, next_after: data.at(-1)?.position ?? after.toString(), has_more: rows.length > limit };
}
