/** What the program tells its operator beside the log: its start, its stop, and why it ends. */
import { type DestinationStream, pino } from 'pino';
import { bufferedOutput, createLog } from './log.ts';

/** Errors whose message is for the operator. Others are faults of the program and shown with their place. */
const EXPECTED = ['ConfigError', 'DatabaseRefused', 'EmbeddedServerError', 'MigrationError'];

export interface OperatorOutput {
  /** Where the log goes. */
  readonly log: DestinationStream;
  /** Writes a line, with facts that a program can read. */
  print(line: string, facts?: object): void;
  /** Writes why the program ends. */
  fail(error: unknown): void;
}

const isExpected = (error: unknown): error is Error =>
  error instanceof Error && EXPECTED.includes(error.name);

/** Text, for people at a terminal. */
function textOutput(): OperatorOutput {
  return {
    log: bufferedOutput(),
    print: (line) => void process.stdout.write(`${line}\n`),
    fail(error) {
      const text = isExpected(error) ? error.message : error instanceof Error ? error.stack : String(error);
      process.stderr.write(`${text}\n`);
    },
  };
}

/** Lines of JSON like those of the log. Warnings of Node are lines of JSON too. */
function jsonOutput(): OperatorOutput {
  const log = bufferedOutput();
  const out = createLog('info', log);
  const err = createLog('info', pino.destination({ dest: 2, sync: true }));
  process.removeAllListeners('warning');
  process.on('warning', (warning) => out.warn({ err: warning }, 'warning of Node'));
  return {
    log,
    print: (line, facts = {}) => out.info(facts, line.trim()),
    fail(error) {
      if (isExpected(error)) err.fatal(error.message);
      else err.fatal({ err: error }, 'the service has failed');
    },
  };
}

/** In production every line of both streams is JSON, because a log shipper refuses others. */
export const operatorOutput = (json: boolean): OperatorOutput => (json ? jsonOutput() : textOutput());
