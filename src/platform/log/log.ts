/** Structured logs: one JSON object a line, secrets removed wherever they might stand. */
import { type Logger as PinoLogger, pino } from 'pino';

const SECRET_PATHS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'token',
  'marketplace_token',
  'access_token',
  'password',
  'secret',
  '*.authorization',
  '*.token',
  '*.marketplace_token',
  '*.access_token',
  '*.password',
  '*.secret',
];

export function createLog(level: string): PinoLogger {
  return pino({
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: '[removed]' },
    serializers: { req: () => undefined, res: () => undefined },
  });
}
