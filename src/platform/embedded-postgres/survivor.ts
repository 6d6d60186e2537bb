import { readlinkSync, realpathSync, rmSync } from 'node:fs';
import { asSuperuser } from './connect.ts';
import { codeOf, EmbeddedServerError } from './embedded-server-error.ts';
import type { Binaries } from './packaged-binaries.ts';
import { programPath } from './packaged-binaries.ts';
import { pollUntil } from './poll-until.ts';
import type { Postmaster } from './postmaster.ts';
import { isNumberTaken, postmasterFile, readPostmaster, servesDirectory } from './postmaster.ts';

const POLL_MS = 100;
/** As long as a server may take to replay its log, or to end, when it was left in the middle of it. */
const LIMIT_MS = 300_000;
/** PostgreSQL's `invalid_password`. */
const INVALID_PASSWORD = '28P01';

/** What an earlier start has left of the server. */
export type Remains =
  | { readonly kind: 'none' }
  /** It ended without a word: the data will be recovered from its log. */
  | { readonly kind: 'unclean' }
  | { readonly kind: 'running'; readonly postmaster: Postmaster; readonly sameBinaries: boolean };

/**
 * Finds out whether the server of `dataPath` survived the service that started it, and waits for one that
 * is still starting or stopping. A server counts only when the kernel says that it works in this directory
 * and it says so itself when asked with our password.
 *
 * @throws EmbeddedServerError when it runs but does not take the recorded password or never gets ready
 */
export async function findRemains(options: {
  dataPath: string;
  binaries: Binaries;
  password: string;
  signal?: AbortSignal | undefined;
}): Promise<Remains> {
  const { dataPath, binaries, password, signal } = options;
  const remains = await pollUntil(
    async (): Promise<Remains | undefined> => {
      const postmaster = readPostmaster(dataPath);
      if (postmaster === undefined) return { kind: 'none' };
      if (!servesDirectory(postmaster.pid, dataPath)) {
        // A number that is taken, by somebody else or by a zombie, the server would take for its twin.
        if (isNumberTaken(postmaster.pid)) rmSync(postmasterFile(dataPath), { force: true });
        return { kind: 'unclean' };
      }
      if (postmaster.status !== 'ready') return undefined;
      if (!(await answersFor(postmaster.port, password, dataPath))) return undefined;
      return { kind: 'running', postmaster, sameBinaries: runs(postmaster.pid, binaries) };
    },
    { everyMs: POLL_MS, limitMs: LIMIT_MS, signal },
  );
  if (remains) return remains;
  throw new EmbeddedServerError(`The server of ${dataPath} runs but is not ready: see its log, or stop it.`);
}

async function answersFor(port: number, password: string, dataPath: string): Promise<boolean> {
  try {
    const directory = await asSuperuser({ port, password, database: 'postgres' }, async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory;
    });
    return directory !== undefined && realpathSync(directory) === realpathSync(dataPath);
  } catch (thrown) {
    if (codeOf(thrown) === INVALID_PASSWORD) {
      throw new EmbeddedServerError(`The server of ${dataPath} does not take the password recorded for it.`);
    }
    return false;
  }
}

/** Whether a process runs our program file. One that was replaced meanwhile reads as "… (deleted)". */
function runs(pid: number, binaries: Binaries): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(programPath(binaries, 'postgres'));
  } catch {
    return false;
  }
}
