import { type Binaries, prepareBinaries } from './binaries.ts';
import {
  connectionUrl,
  DATABASE,
  type Durability,
  ensureCluster,
  ensureDatabase,
  LOGIN,
  LOOPBACK,
  SUPERUSER,
} from './cluster.ts';
import {
  newState,
  prepareSite,
  readState,
  type ServerState,
  type Site,
  writeState,
} from './data-directory.ts';
import { EmbeddedServerError } from './embedded-server-error.ts';
import { keepRunning } from './keep-running.ts';
import { lockDirectory } from './lock.ts';
import { findEarlierServer } from './running-server.ts';
import { startServer, stopServer } from './server-process.ts';

interface EmbeddedOptions {
  /** The service's own directory (`DATA_DIR`). It is made if it is missing. */
  readonly dataDir: string;
  /** Prints one line for the operator. */
  readonly log: (line: string) => void;
  /** Warns that the embedded server is not for production. */
  readonly production?: boolean;
  /** The default is `full`. `none` is only for tests, because a power cut then destroys the data. */
  readonly durability?: Durability;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
}

/** A running PostgreSQL 18 that belongs to this process until `stop`. */
export interface EmbeddedServer {
  /** The service's login, which owns nothing. */
  readonly user: string;
  readonly password: string;
  /** Connects as the service's login. */
  readonly url: string;
  /** Connects to the same database as its owner, only for migrations. */
  readonly superuserUrl: string;
  /** Whether the server was already running, because an earlier service was killed. */
  readonly adopted: boolean;
  /** Changes when the server is restarted. */
  readonly pid: number;
  readonly dataPath: string;
  readonly binariesPath: string;
  /** Resolves with a sentence if the server ends without `stop` and cannot be restarted. It never rejects. */
  readonly lost: Promise<string>;
  /** Stops the server within 7 s and unlocks its directory. It may be called twice. */
  stop(): Promise<void>;
}

interface Prepared extends EmbeddedOptions {
  readonly site: Site;
  readonly binaries: Binaries;
  readonly state: ServerState;
}

/**
 * Starts the embedded PostgreSQL of `dataDir`, with the service's database and login. If a server of a killed service
 * still runs there, it is adopted.
 *
 * @throws EmbeddedServerError when another service uses the directory, or the machine cannot run the server
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const site = prepareSite(options.dataDir);
  const unlock = lockDirectory(
    site.home,
    (holder) =>
      `The service is already running on ${site.dataDir} (${holder}). Stop it first, or give this one another DATA_DIR.`,
  );
  try {
    return await startLocked(options, site, unlock);
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

async function startLocked(
  options: EmbeddedOptions,
  site: Site,
  unlock: () => void,
): Promise<EmbeddedServer> {
  const { log, signal, durability = 'full' } = options;
  const binaries = prepareBinaries(site);
  announce(options, site, binaries);
  const state = readState(site.dataDir) ?? newState(site.home);
  // This is written before initdb. If this process is killed after initdb, the next start needs the password.
  writeState(site.dataDir, state);
  const password = state.superuserPassword;
  if (await ensureCluster({ ...site, binaries, password, durability })) log('A new database was made.');
  const prepared = { ...options, site, binaries, state };
  const { pid, port, adopted } = await adoptOrStart(prepared);
  try {
    signal?.throwIfAborted();
    await ensureDatabase({ port, password }, state.loginPassword);
  } catch (thrown) {
    await stopServer(pid);
    throw thrown;
  }
  if (state.port !== port) writeState(site.dataDir, { ...state, port });
  log(`The embedded PostgreSQL listens on ${LOOPBACK}:${port}.`);
  const kept = keepRunning({
    pid,
    log,
    start: (leaving) => restart({ ...prepared, signal: leaving, state: { ...state, port } }, port),
  });
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await kept.leave();
    const ended = await stopServer(kept.pid);
    unlock();
    if (!ended) throw new EmbeddedServerError(`The embedded PostgreSQL (process ${kept.pid}) does not end.`);
  };
  return {
    user: LOGIN,
    password: state.loginPassword,
    url: connectionUrl(LOGIN, state.loginPassword, port, DATABASE),
    superuserUrl: connectionUrl(SUPERUSER, password, port, DATABASE),
    adopted,
    get pid() {
      return kept.pid;
    },
    dataPath: site.dataPath,
    binariesPath: binaries.root,
    lost: kept.lost,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function adoptOrStart({ site, binaries, state, log, signal, durability = 'full' }: Prepared) {
  const { dataPath } = site;
  const password = state.superuserPassword;
  const earlier = await findEarlierServer({ dataPath, binaries, password, signal });
  if (earlier.kind === 'running') {
    const { pid, port } = earlier.postmaster;
    if (earlier.sameBinaries) {
      log(`Adopting the embedded PostgreSQL that is still running (process ${pid}).`);
      return { pid, port, adopted: true };
    }
    log(`Restarting the embedded PostgreSQL: process ${pid} runs other binaries.`);
    if (!(await stopServer(pid))) throw new EmbeddedServerError(`Process ${pid} does not end.`);
  }
  if (earlier.kind === 'crashed') log('The database was not shut down: recovering its commits.');
  const started = await startServer({ site, binaries, port: state.port, durability, log, signal });
  return { ...started, adopted: false };
}

/** Restarts the server. It must have the same port, because the service's pools connect to it. */
async function restart(prepared: Prepared, usedPort: number): Promise<number> {
  const { pid, port } = await adoptOrStart(prepared);
  if (port === usedPort) return pid;
  await stopServer(pid);
  throw new EmbeddedServerError(`Port ${usedPort} is in use by another program.`);
}

function announce(options: EmbeddedOptions, site: Site, binaries: Binaries): void {
  const { log, production = false } = options;
  if (production) {
    log('WARNING: production runs on the embedded PostgreSQL: one machine, no standby, no backup.');
    log('WARNING: set DATABASE_URL to a maintained PostgreSQL server.');
  }
  if (site.user) log(`PostgreSQL does not run as root: it runs as the user "${site.user.name}".`);
  log(`PostgreSQL binaries: ${binaries.root}`);
  log(`PostgreSQL data:     ${site.dataPath}`);
}
