import type { ChildProcess } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { EmbeddedServerError } from './embedded-server-error.ts';
import { freePort } from './free-port.ts';
import type { Binaries } from './packaged-binaries.ts';
import type { Site } from './prepare.ts';
import type { StartFailure } from './server-process.ts';
import { startError, startServer } from './server-process.ts';
import type { Durability } from './settings.ts';
import { serverSettings } from './settings.ts';

/**
 * How often each failure is worth another try, and after what wait. Another program may take the port
 * between the look and the start; sessions of a server that was killed hold its memory until their
 * statement ends, which `client_connection_check_interval` bounds.
 */
const RETRIES: Record<StartFailure, { times: number; waitMs: number }> = {
  port_taken: { times: 5, waitMs: 0 },
  memory_in_use: { times: 120, waitMs: 500 },
  data_in_use: { times: 0, waitMs: 0 },
  other: { times: 0, waitMs: 0 },
};

/**
 * Starts the server of `site` on the port it had before, or on another when that one is taken.
 *
 * @throws EmbeddedServerError with the server's own words when it does not start
 */
export async function launch(options: {
  site: Site;
  binaries: Binaries;
  port: number | undefined;
  durability: Durability;
  log: (line: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<{ process: ChildProcess; pid: number; port: number }> {
  const { site, binaries, log, signal } = options;
  let preferred = options.port;
  for (let tries = 0; ; tries += 1) {
    const port = await freePort(preferred);
    const settings = serverSettings(port, options.durability);
    const started = await startServer({ ...site, binaries, settings, signal });
    if (!('failure' in started)) {
      if (started.pid === undefined) throw new EmbeddedServerError('The embedded PostgreSQL has no process.');
      return { process: started, pid: started.pid, port };
    }
    const retry = RETRIES[started.failure];
    if (tries >= retry.times) throw startError(started.said, site.logPath);
    if (tries === 0) log(`The embedded PostgreSQL starts again: ${started.failure.replaceAll('_', ' ')}.`);
    if (started.failure === 'port_taken') preferred = undefined;
    await after(retry.waitMs, undefined, signal ? { signal } : {});
  }
}
