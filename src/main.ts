/** The program: `serve` (default), `api`, `worker`, `migrate`, or `backup <folder>` of the embedded database. */

import { backUp, migrateOnly, type Running, start } from './start.ts';

/** After this time the process exits in any case, so that Ctrl-C ends everything within 10 s. */
const STOP_MS = 9_500;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Errors whose message is a sentence for the operator. */
const EXPECTED = new Set(['ConfigError', 'DatabaseRefused', 'EmbeddedServerError', 'MigrationError']);

function fatal(error: unknown): never {
  const expected = error instanceof Error && EXPECTED.has(error.name);
  process.stderr.write(
    `${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

async function serve(role: 'all' | 'api' | 'worker'): Promise<void> {
  const env = { ...process.env, ...(role === 'all' ? {} : { ROLE: role }) };
  const starting = new AbortController();
  let running: Running | undefined;
  let stopping = false;
  // Runs once. It cancels a start that is not complete.
  const stop = (reason: string, code: number): void => {
    if (stopping) return;
    stopping = true;
    print(`Stopping (${reason}); running requests end first.`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    starting.abort();
    running?.stop().then(() => process.exit(code), fatal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0));
  try {
    running = await start(env, print, starting.signal);
  } catch (error) {
    if (stopping) process.exit(0);
    throw error;
  }
  if (stopping) {
    await running.stop();
    process.exit(0);
  }
  running.lost.then((reason) => stop(reason, 1)).catch(fatal);
  const { apiUrl, internalUrl, greeting, logFile } = running;
  const log = logFile === undefined ? '' : `   log: ${logFile}`;
  print(`\nSeller Partner Service: ${apiUrl ?? '(worker)'}   marketplace listener: ${internalUrl}${log}`);
  if (greeting !== undefined) print(greeting);
}

const [command = 'serve', folder] = process.argv.slice(2);
try {
  if (command === 'serve') await serve('all');
  else if (command === 'api' || command === 'worker') await serve(command);
  else if (command === 'migrate') await migrateOnly(process.env, print);
  else if (command === 'backup') await backUp(process.env, folder, print);
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
