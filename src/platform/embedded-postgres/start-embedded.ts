import { type Attended, attend } from './attend.ts';
import { ensureCluster, SUPERUSER } from './cluster.ts';
import { connectionUrl } from './connect.ts';
import { EmbeddedServerError } from './embedded-server-error.ts';
import { DATABASE, ensureDatabase, LOGIN } from './ensure-database.ts';
import { LOOPBACK } from './free-port.ts';
import { launch } from './launch.ts';
import { lockDirectory } from './lock.ts';
import type { Binaries } from './packaged-binaries.ts';
import type { Site } from './prepare.ts';
import { prepareBinaries, prepareSite } from './prepare.ts';
import type { ServerRecord } from './record.ts';
import { newRecord, readRecord, writeRecord } from './record.ts';
import type { Durability } from './settings.ts';
import { stopServer } from './stop-server.ts';
import { findRemains } from './survivor.ts';

/** What a start of the embedded server needs to know. */
export interface EmbeddedOptions {
  /** The service's own directory (`DATA_DIR`); made when it is missing. */
  readonly dataDir: string;
  /** Takes one line at a time, for the operator. */
  readonly log: (line: string) => void;
  /** Warn that this is not how to run in production. */
  readonly production?: boolean;
  /** `none` only for tests: a power cut then destroys the data. Default `full`. */
  readonly durability?: Durability;
  /** Gives up the start. */
  readonly signal?: AbortSignal | undefined;
}

/** A running PostgreSQL 18 that belongs to this process until `stop`. */
export interface EmbeddedServer {
  readonly host: string;
  readonly port: number;
  /** The service's login, which owns nothing. */
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Connects as the service's login. */
  readonly url: string;
  /** Connects to the same database as its owner: migrations only. */
  readonly superuserUrl: string;
  /** Whether it was running already, left by a service that was killed. */
  readonly adopted: boolean;
  /** Another one after the server has ended and was started again. */
  readonly pid: number;
  readonly dataPath: string;
  readonly binariesPath: string;
  readonly logPath: string;
  /** Resolves with a sentence when the server ends without `stop` and does not stay up again; never rejects. */
  readonly lost: Promise<string>;
  /** Ends the server within 7 s and gives its directory back. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL of `dataDir`, or adopts the one a killed service left running there, with
 * the service's database and login in place.
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
  const record = readRecord(site.dataDir) ?? newRecord(site.home);
  // Before initdb: a start killed after it must find the password again.
  writeRecord(site.dataDir, record);
  const password = record.superuserPassword;
  const made = await ensureCluster({ ...site, binaries, password, durability });
  if (made) log('A new database was made.');
  const running = await adoptOrLaunch(options, site, binaries, record);
  try {
    signal?.throwIfAborted();
    await ensureDatabase({ port: running.port, password }, record.loginPassword);
  } catch (thrown) {
    await stopServer(running.pid);
    throw thrown;
  }
  if (record.port !== running.port) writeRecord(site.dataDir, { ...record, port: running.port });
  log(`The embedded PostgreSQL listens on ${LOOPBACK}:${running.port}.`);
  const { pid, port } = running;
  const attended = attend({
    pid,
    log,
    start: (leaving) => startAgain({ ...options, signal: leaving }, site, binaries, { ...record, port }),
  });
  return serverHandle({ site, binaries, record, running, attended, unlock });
}

interface Running {
  readonly pid: number;
  readonly port: number;
  readonly adopted: boolean;
}

async function adoptOrLaunch(
  options: EmbeddedOptions,
  site: Site,
  binaries: Binaries,
  record: ServerRecord,
): Promise<Running> {
  const { log, signal, durability = 'full' } = options;
  const { dataPath } = site;
  const remains = await findRemains({ dataPath, binaries, password: record.superuserPassword, signal });
  if (remains.kind === 'running') {
    const { pid, port } = remains.postmaster;
    if (remains.sameBinaries) {
      log(`Adopting the embedded PostgreSQL that is still running (process ${pid}).`);
      return { pid, port, adopted: true };
    }
    log(`Restarting the embedded PostgreSQL: process ${pid} runs other binaries.`);
    if (!(await stopServer(pid))) throw new EmbeddedServerError(`Process ${pid} does not end.`);
  }
  if (remains.kind === 'unclean') log('The database was not shut down: recovering what was committed.');
  const launched = await launch({ site, binaries, port: record.port, durability, log, signal });
  return { pid: launched.pid, port: launched.port, adopted: false };
}

/** Where the service's pools look for it, or not at all. */
async function startAgain(
  options: EmbeddedOptions,
  site: Site,
  binaries: Binaries,
  record: ServerRecord,
): Promise<number> {
  const { pid, port } = await adoptOrLaunch(options, site, binaries, record);
  if (port === record.port) return pid;
  await stopServer(pid);
  throw new EmbeddedServerError(`Port ${record.port} is in use by another program.`);
}

function serverHandle(parts: {
  site: Site;
  binaries: Binaries;
  record: ServerRecord;
  running: Running;
  attended: Attended;
  unlock: () => void;
}): EmbeddedServer {
  const { site, binaries, record, running, attended, unlock } = parts;
  const { port, adopted } = running;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await attended.leave();
    const { pid } = attended;
    const ended = await stopServer(pid);
    unlock();
    if (!ended) throw new EmbeddedServerError(`The embedded PostgreSQL (process ${pid}) does not end.`);
  };
  return {
    host: LOOPBACK,
    port,
    user: LOGIN,
    password: record.loginPassword,
    database: DATABASE,
    url: connectionUrl(LOGIN, record.loginPassword, port, DATABASE),
    superuserUrl: connectionUrl(SUPERUSER, record.superuserPassword, port, DATABASE),
    adopted,
    get pid() {
      return attended.pid;
    },
    dataPath: site.dataPath,
    binariesPath: binaries.root,
    logPath: site.logPath,
    lost: attended.lost,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function announce(options: EmbeddedOptions, site: Site, binaries: Binaries): void {
  const { log, production = false } = options;
  if (production) {
    log('WARNING: production runs on the embedded PostgreSQL: one machine, no standby, no backup.');
    log('WARNING: set DATABASE_URL to a PostgreSQL server that somebody looks after.');
  }
  if (site.user) log(`PostgreSQL does not run as root: it runs as the user "${site.user.name}".`);
  log(`PostgreSQL binaries: ${binaries.root}`);
  log(`PostgreSQL data:     ${site.dataPath}`);
}
