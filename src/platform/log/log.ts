/** Structured logs: one JSON object a line, with secrets removed. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { systemNow } from '../db/clock.ts';

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

/** The fields of an error that may be logged: PostgreSQL puts values of rows into others (`detail`, `where`). */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const known = Object.fromEntries(
    Object.entries(error).filter(([key]) => ['code', 'constraint', 'table', 'status'].includes(key)),
  );
  return { name, message, ...known, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

/** Lines are written in blocks of this size … */
const BLOCK_BYTES = 8 * 1024;
/** … and at least this often; a killed process loses no more than this of its access log. */
const FLUSH_MS = 250;
/** Lines of these levels are buffered; warnings and errors are written at once. */
const BUFFERED = /^\{"level":"(?:debug|info)"/;

/** Buffered standard output: a system call for each line costs a busy service a tenth of its time. */
export function bufferedOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: BLOCK_BYTES, periodicFlush: FLUSH_MS });
  process.once('exit', () => output.flushSync());
  return {
    write(line) {
      output.write(line);
      // Not `flushSync`, which would wait for the disk.
      if (!BUFFERED.test(line)) output.flush();
    },
  };
}

/** Like pino's `isoTime`, but formatted once a millisecond: a busy service writes several lines in each. */
function isoTime(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = systemNow();
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`;
    at = now;
    return text;
  };
}

/** A log to standard output, or to `destination`, of lines from `level` on. */
export function createLog(level: string, destination?: DestinationStream): PinoLogger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[removed]' },
      serializers: { req: () => undefined, res: () => undefined, err: describeError },
    },
    destination ?? pino.destination(1),
  );
}

/** The same log without redaction, for lines that hold no secret: redaction costs more than the line itself. */
export function withoutRedaction(log: PinoLogger): PinoLogger {
  return log.child({}, { redact: [] });
}
