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

/** The fields of an error that may be logged. Other fields (`detail`, `where`) may have values of rows. */
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
/** … and at least this often. So a killed process loses at most this part of its access log. */
const FLUSH_MS = 250;
/** Lines of these levels can wait. Warnings and errors are written immediately. */
export const BUFFERED = /^\{"level":"(?:debug|info)"/;

/** Standard output with a buffer, because a system call for each line takes a tenth of the time of a busy service. */
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

/**
 * The same as pino's `isoTime`, but formatted once a millisecond, because a busy service writes several lines in one.
 */
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

/** The same log without redaction, for lines without secrets, because redaction costs more than writing a line. */
export function withoutRedaction(log: PinoLogger): PinoLogger {
  return log.child({}, { redact: [] });
}
