/** Two PostgreSQL servers of the embedded binaries: a primary, and a synchronous standby. */
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import { isAlive } from '../../src/platform/embedded-postgres/running-server.ts';
import { freePort, startServer, stopServer } from '../../src/platform/embedded-postgres/server-process.ts';
import { serverUser } from '../../src/platform/embedded-postgres/system-user.ts';
import { atEnd } from './at-end.ts';
import { eventually } from './feeds.ts';
import { runOn } from './test-server.ts';

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly superuserUrl: string;
}

export interface Pair {
  readonly primary: Server;
  readonly standby: Server;
  /** The login of the service, at one or several of the servers. */
  url(...servers: readonly Server[]): string;
  /** Ends the primary as a power cut does. */
  killPrimary(): Promise<void>;
  promote(): Promise<void>;
  /** Stops the process that receives the log, so that commits wait. Returns a function that continues it. */
  freeze(): Promise<() => void>;
}

/** Makes the data of both servers: a migrated database, and a copy of it that follows. */
async function makeData(folder: string) {
  const embedded = await startEmbedded({ dataDir: folder, log: () => undefined });
  await migrate({ url: embedded.superuserUrl, runtimeLogin: embedded.user });
  await embedded.stop();
  const { password } = new URL(embedded.superuserUrl);
  const port = await freePort(undefined);
  const paths = [embedded.dataPath, `${embedded.dataPath}-standby`] as const;
  const settings = [
    "synchronous_standby_names = 'standby'",
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby'`,
  ];
  const user = serverUser(paths[0]);
  cpSync(...paths, { recursive: true });
  chmodSync(paths[1], 0o700);
  writeFileSync(join(paths[1], 'standby.signal'), '');
  for (const [index, path] of paths.entries()) {
    writeFileSync(join(path, 'postgresql.auto.conf'), `${settings[index]}\n`);
    writeFileSync(`${path}.log`, '');
    if (user !== undefined) give(path, user);
  }
  return { embedded, paths, port, user };
}

async function startServers({ embedded, paths, port, user }: Awaited<ReturnType<typeof makeData>>) {
  const binaries = { root: embedded.binariesPath, version: '', links: [] };
  const start = async (dataPath: string, preferred: number | undefined): Promise<Server> => {
    const site = { dataPath, logPath: `${dataPath}.log`, user };
    const rest = { durability: 'full', log: () => undefined } as const;
    const started = await startServer({ site, binaries, port: preferred, ...rest });
    const superuserUrl = new URL(embedded.superuserUrl);
    superuserUrl.port = String(started.port);
    return { ...started, superuserUrl: superuserUrl.href };
  };
  return { primary: await start(paths[0], port), standby: await start(paths[1], undefined) };
}

/** Starts both servers on a migrated database; they end with the last test of the calling file. */
export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'spp-pair-'));
  chmodSync(folder, 0o755);
  const data = await makeData(folder);
  const { primary, standby } = await startServers(data);
  atEnd(async () => {
    await Promise.all([primary, standby].map(({ pid }) => stopServer(pid)));
    rmSync(folder, { recursive: true, force: true });
  });
  const replicas = () =>
    runOn(
      primary.superuserUrl,
      async (client) => (await client.query('select from pg_stat_replication')).rowCount,
    );
  await eventually(replicas, (count) => count === 1);
  return {
    primary,
    standby,
    url(...servers) {
      const { username, password, pathname } = new URL(data.embedded.url);
      const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
      const attributes = servers.length > 1 ? '?target_session_attrs=read-write' : '';
      return `postgres://${username}:${password}@${hosts}${pathname}${attributes}`;
    },
    async killPrimary() {
      process.kill(primary.pid, 'SIGKILL');
      await eventually(
        async () => isAlive(primary.pid),
        (alive) => !alive,
      );
    },
    promote: () =>
      runOn(standby.superuserUrl, async (client) => {
        await client.query('select pg_promote(true)');
      }),
    async freeze() {
      const pid = await runOn(standby.superuserUrl, async (client) => {
        const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_wal_receiver');
        return rows[0]?.pid ?? 0;
      });
      process.kill(pid, 'SIGSTOP');
      return () => process.kill(pid, 'SIGCONT');
    },
  };
}

function give(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  for (const entry of ['', ...(readdirSync(path, { recursive: true }) as string[])])
    chownSync(join(path, entry), owner.uid, owner.gid);
}
