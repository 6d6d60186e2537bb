/** The program: `serve` (default), `api`, `worker` or `migrate`. */
import { readConfig } from './config.ts';
import { createLog } from './platform/log/log.ts';
import { migrateOnly, type Running, start } from './start.ts';
import { walkThrough } from './walk-through.ts';

/** A stop that takes longer is ended by force: Ctrl-C ends everything within 10 s. */
const STOP_MS = 9_500;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function fatal(error: unknown): never {
  const expected = error instanceof Error && ['ConfigError', 'EmbeddedServerError'].includes(error.name);
  process.stderr.write(
    `${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

/** Ends the service once, for whatever reason; a second signal does not wait. */
function stopOn(running: Running): void {
  let stopping = false;
  const stop = (reason: string, code: number): void => {
    if (stopping) return;
    stopping = true;
    print(`Stopping (${reason}); requests in work are finished first.`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    running.stop().then(() => process.exit(code), fatal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0));
  running.lost.then((reason) => stop(reason, 1)).catch(fatal);
}

async function serve(role: 'all' | 'api' | 'worker'): Promise<void> {
  const config = readConfig({ ...process.env, ...(role === 'all' ? {} : { ROLE: role }) });
  const log = createLog(config.LOG_LEVEL);
  const running = await start(config, log, print);
  stopOn(running);
  if (running.apiUrl !== '') {
    print(`\nSeller Partner Service: ${running.apiUrl}   marketplace listener: ${running.internalUrl}`);
    if (running.demoUrl !== undefined) print(walkThrough(running.apiUrl, running.demoUrl));
  }
}

const [command = 'serve'] = process.argv.slice(2);
try {
  if (command === 'serve') await serve('all');
  else if (command === 'api' || command === 'worker') await serve(command);
  else if (command === 'migrate') await migrateOnly(readConfig(process.env), print);
  else
    fatal(
      Object.assign(
        new Error(`Unknown command ${JSON.stringify(command)}; allowed: serve | api | worker | migrate`),
        { name: 'ConfigError' },
      ),
    );
} catch (error) {
  fatal(error);
}
