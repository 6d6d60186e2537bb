/** The embedded server that runs on a data directory, for those who come beside the service. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { connectionUrl } from './connect.ts';
import { EmbeddedServerError } from './embedded-server-error.ts';
import { DATABASE, LOGIN } from './ensure-database.ts';
import { readPostmaster, servesDirectory } from './postmaster.ts';
import { readRecord, type ServerRecord } from './record.ts';

export interface RunningServer {
  readonly record: ServerRecord;
  readonly dataPath: string;
  readonly port: number;
}

/**
 * @param instead what to do when it does not run
 * @throws EmbeddedServerError when there is none, or it does not run
 */
export function runningServer(dataDir: string, instead: string): RunningServer {
  const record = readRecord(realpathSync(dataDir));
  if (record === undefined) throw new EmbeddedServerError(`${dataDir} holds no embedded database.`);
  const dataPath = join(record.home, 'data');
  const server = readPostmaster(dataPath);
  if (server === undefined || !servesDirectory(server.pid, dataPath))
    throw new EmbeddedServerError(`The embedded PostgreSQL of ${dataDir} is not running: ${instead}.`);
  return { record, dataPath, port: server.port };
}

/** Where the service's own login finds the running server. @throws EmbeddedServerError as above */
export function runningUrl(dataDir: string): string {
  const { record, port } = runningServer(dataDir, 'start the service first');
  return connectionUrl(LOGIN, record.loginPassword, port, DATABASE);
}
