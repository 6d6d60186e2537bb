/**
 * The CloudEvents 1.0 envelope in JSON. With a broken envelope the whole request is refused, because without an id the
 * answer could not name the event.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type FieldProblem, invalid } from '../kernel/errors.ts';
import { parseInstant } from '../kernel/instant.ts';

/** Most events of one batch (docs/design/marketplace-events.md#envelope). */
export const BATCH_MAX = 1_000;
const NAME_CHARS_MAX = 500;
/** Versions are sent as integers or, above 2^53, as digits. 18 digits fit a PostgreSQL bigint. */
const VERSION = /^\d{1,18}$/;

export interface Envelope {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
  readonly seller_id: string | null;
  /** RFC 3339 in UTC with milliseconds; null when the event has no time. */
  readonly time: string | null;
  readonly object_version: bigint | null;
  readonly data: unknown;
  /** SHA-256 of the content, without transport and tracing attributes. */
  readonly digest: Buffer;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Rule = readonly [attribute: string, valid: (value: unknown) => boolean, message: string];

/** PostgreSQL would store every lone surrogate as U+FFFD, so two names that differ only in one would be equal. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= NAME_CHARS_MAX &&
  !value.includes('\0') &&
  value.isWellFormed();
const orAbsent = (valid: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || value === null || valid(value);
const isTime = (value: unknown): boolean => typeof value === 'string' && parseInstant(value) !== undefined;
const isVersion = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && VERSION.test(value);

const NAME_MESSAGE = `must be a text of 1 to ${NAME_CHARS_MAX} characters`;
const RULES: readonly Rule[] = [
  ['specversion', (value) => value === '1.0', 'must be "1.0"'],
  ['id', isName, NAME_MESSAGE],
  ['source', isName, NAME_MESSAGE],
  ['type', isName, NAME_MESSAGE],
  ['subject', orAbsent(isName), NAME_MESSAGE],
  ['sellerid', orAbsent(isName), NAME_MESSAGE],
  ['time', orAbsent(isTime), 'must be an RFC 3339 instant of the years 1000 to 2999'],
  ['objectversion', orAbsent(isVersion), 'must be a whole number from 0, as a number or as digits'],
  [
    'datacontenttype',
    orAbsent((value) => typeof value === 'string' && /^application\/([\w.-]+\+)?json\b/i.test(value)),
    'must be a JSON type',
  ],
  ['data_base64', (value) => value === undefined, 'is not supported; send "data" as JSON'],
];

function problemsOf(event: unknown, at: readonly (string | number)[]): FieldProblem[] {
  if (!isObject(event))
    return [{ loc: ['body', ...at], msg: 'Must be a CloudEvents object.', type: 'object_type' }];
  return RULES.filter(([attribute, valid]) => !valid(event[attribute])).map(([attribute, , message]) => ({
    loc: ['body', ...at, attribute],
    msg: `The attribute ${message}.`,
    type: event[attribute] === undefined ? 'missing' : 'envelope_invalid',
  }));
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function toEnvelope(event: Json): Envelope {
  const version = event['objectversion'] ?? null;
  const content = ['type', 'subject', 'sellerid', 'time', 'objectversion', 'data'].map(
    (name) => event[name] ?? null,
  );
  const time = text(event['time']);
  return {
    id: String(event['id']),
    source: String(event['source']),
    type: String(event['type']),
    subject: text(event['subject']),
    seller_id: text(event['sellerid']),
    time: time === null ? null : new Date(time).toISOString(),
    object_version: version === null ? null : BigInt(version as number | string),
    data: event['data'] ?? {},
    digest: createHash('sha256').update(canonicalJson(content)).digest(),
  };
}

/**
 * Reads one event or a batch, in input order.
 *
 * @throws ApiError 422 that names every broken attribute
 */
export function readEnvelopes(body: unknown): Envelope[] {
  const batch = Array.isArray(body);
  const events: unknown[] = batch ? body : [body];
  if (events.length > BATCH_MAX) {
    throw invalid([{ loc: ['body'], msg: `A batch holds at most ${BATCH_MAX} events.`, type: 'too_long' }]);
  }
  const problems = events.flatMap((event, index) => problemsOf(event, batch ? [index] : []));
  if (problems.length > 0) throw invalid(problems.slice(0, 50));
  return events.filter(isObject).map(toEnvelope);
}
