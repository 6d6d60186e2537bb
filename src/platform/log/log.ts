/** Structured logs: one JSON object a line, secrets removed wherever they might stand. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

const SECRETS = [
  'authorization',
  'cookie',
  'token',
  'marketplace_token',
  'access_token',
  'password',
  'secret',
];
const SECRET_PATHS = ['', '*.', '*.*.'].flatMap((place) => SECRETS.map((name) => `${place}${name}`));

/** What an error may tell the log. PostgreSQL's own carry the rows in question beside it (`detail`, `where`). */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const known = Object.fromEntries(
    Object.entries(error).filter(([key]) => ['code', 'constraint', 'table', 'status'].includes(key)),
  );
  return { name, message, ...known, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

/** A log to standard output, or to `destination`; lines below `level` are not written. */
export function createLog(level: string, destination?: DestinationStream): PinoLogger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[removed]' },
      serializers: { req: () => undefined, res: () => undefined, err: describeError },
    },
    destination ?? pino.destination(1),
  );
}
