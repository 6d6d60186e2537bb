import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';
import { installBinaries } from './install-binaries.ts';
import type { Binaries } from './packaged-binaries.ts';
import { isComplete, packagedBinaries } from './packaged-binaries.ts';
import { canReach, homeFor, sharedRoot } from './place.ts';
import type { ServerRecord } from './record.ts';
import { readRecord } from './record.ts';
import type { SystemUser } from './system-user.ts';
import { serverUser } from './system-user.ts';

/** Where a server lives and as whom it runs. */
export interface Site {
  /** The service's own directory, absolute and free of links. */
  readonly dataDir: string;
  /** Holds the server's data, log and lock. */
  readonly home: string;
  readonly dataPath: string;
  readonly logPath: string;
  /** Undefined: this process's own user. */
  readonly user: SystemUser | undefined;
}

/** The home holds nothing secret but the data, which has a mode of its own; others may pass through it. */
const PASSABLE = 0o711;

/**
 * Settles where the server of `dataDir` lives, makes the directories and says nothing about whether it runs.
 *
 * @throws EmbeddedServerError when a recorded place is gone or the server's user cannot get there
 */
export function prepareSite(dataDir: string): Site {
  const own = makeDirectory(resolve(dataDir));
  const record = readRecord(own);
  const user = serverUser(join(record?.home ?? join(own, 'postgres'), 'data'));
  const home = record?.home ?? homeFor(own, user);
  checkRecorded(own, record, user);
  makeDirectory(home);
  if (user) chmodSync(home, PASSABLE);
  return { dataDir: own, home, dataPath: join(home, 'data'), logPath: join(home, 'server.log'), user };
}

/** The binaries to run: the package's own where they can run, else a copy that the server's user can reach. */
export function prepareBinaries(site: Site): Binaries {
  const packaged = packagedBinaries();
  if (site.user) return installBinaries(packaged, sharedRoot());
  return isComplete(packaged) ? packaged : installBinaries(packaged, join(site.dataDir, 'postgres-binaries'));
}

function checkRecorded(
  dataDir: string,
  record: ServerRecord | undefined,
  user: SystemUser | undefined,
): void {
  if (record === undefined) return;
  const within = relative(dataDir, record.home);
  const outside = within.startsWith('..') || isAbsolute(within);
  if (outside && !existsSync(record.home)) {
    throw new EmbeddedServerError(
      `The database of ${dataDir} was kept in ${record.home}, which is gone. Put it back, or start with another DATA_DIR.`,
    );
  }
  if (user && !canReach(user, record.home)) {
    throw new EmbeddedServerError(
      `The database of ${dataDir} is kept in ${record.home}, which the user "${user.name}" it runs as can no longer enter. ` +
        'Let others pass through the directories above it (chmod o+x).',
    );
  }
}

function makeDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
    return realpathSync(path);
  } catch (thrown) {
    throw new EmbeddedServerError(`Cannot use ${path} as DATA_DIR: ${reasonOf(thrown)}.`);
  }
}
