/** The log of a service that runs on a terminal. */
import type { Writable } from 'node:stream';
import { type DestinationStream, pino } from 'pino';
import { BUFFERED } from './log.ts';

/**
 * Writes all lines to a file, which begins anew, and lines from warnings on to the terminal too.
 *
 * @param terminal default: standard output
 */
export function fileOutput(
  path: string,
  terminal: Pick<Writable, 'write'> = process.stdout,
): DestinationStream {
  const file = pino.destination({ dest: path, append: false, mkdir: true, sync: true });
  return {
    write(line) {
      file.write(line);
      if (!BUFFERED.test(line)) terminal.write(line);
    },
  };
}
