/** The program: `serve` (default), `api`, `worker`, `migrate`, or `backup <folder>` of the embedded database. */

import { readConfig } from './config.ts';
import { MODULE_SETTINGS } from './modules.ts';
import { bufferedOutput, createLog } from './platform/log/log.ts';
import { backUp, migrateOnly, type Running, start } from './start.ts';

/** A stop that takes longer is ended by force: Ctrl-C ends everything within 10 s. */
const STOP_MS = 9_500;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function fatal(error: unknown): never {
  const expected =
    error instanceof Error && ['ConfigError', 'EmbeddedServerError', 'MigrationError'].includes(error.name);
  process.stderr.write(
    `${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

async function serve(role: 'all' | 'api' | 'worker'): Promise<void> {
  const config = readConfig({ ...process.env, ...(role === 'all' ? {} : { ROLE: role }) }, MODULE_SETTINGS);
  const starting = new AbortController();
  let running: Running | undefined;
  let stopping = false;
  // Once, for whatever reason; before the start is complete it is given up.
  const stop = (reason: string, code: number): void => {
    if (stopping) return;
    stopping = true;
    print(`Stopping (${reason}); requests in work are finished first.`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    starting.abort();
    running?.stop().then(() => process.exit(code), fatal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0));
  try {
    running = await start(config, createLog(config.LOG_LEVEL, bufferedOutput()), print, starting.signal);
  } catch (error) {
    if (stopping) process.exit(0);
    throw error;
  }
  if (stopping) {
    await running.stop();
    process.exit(0);
  }
  running.lost.then((reason) => stop(reason, 1)).catch(fatal);
  const { apiUrl, internalUrl, walkThrough } = running;
  print(`\nSeller Partner Service: ${apiUrl ?? '(worker)'}   marketplace listener: ${internalUrl}`);
  if (walkThrough !== undefined) print(walkThrough);
}

const [command = 'serve', folder] = process.argv.slice(2);
try {
  if (command === 'serve') await serve('all');
  else if (command === 'api' || command === 'worker') await serve(command);
  else if (command === 'migrate') await migrateOnly(readConfig(process.env, MODULE_SETTINGS), print);
  else if (command === 'backup') await backUp(readConfig(process.env, MODULE_SETTINGS), folder, print);
  else
    fatal(
      Object.assign(
        new Error(
          `Unknown command ${JSON.stringify(command)}; allowed: serve | api | worker | migrate | backup <folder>`,
        ),
        { name: 'ConfigError' },
      ),
    );
} catch (error) {
  fatal(error);
}
