import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedServerError } from './embedded-server-error.ts';
import type { SystemUser } from './system-user.ts';

const EXECUTE = { owner: 0o100, group: 0o010, other: 0o001 } as const;

/** Directories that survive a restart of the machine and that every user may enter, in the order tried. */
const SHARED_ROOTS = ['/var/lib', '/srv', '/opt'];
const SHARED_NAME = 'seller-partner-service';

/**
 * Whether `user` may enter `path` and everything above it, judged by the mode bits. A path that does not
 * exist yet counts as enterable: whoever makes it decides.
 */
export function canReach(user: SystemUser, path: string): boolean {
  if (existsSync(path) && !mayEnter(user, path)) return false;
  const parent = dirname(path);
  return parent === path || canReach(user, parent);
}

/**
 * The directory that holds the server's data, log and lock.
 *
 * @param dataDir - the service's own directory, absolute
 * @param user - the user the server runs as, when it is not this process's own
 * @returns below `dataDir` where the server's user can get there, else a shared place named by `dataDir`
 */
export function homeFor(dataDir: string, user: SystemUser | undefined): string {
  if (user === undefined || canReach(user, dataDir)) return join(dataDir, 'postgres');
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join(sharedRoot(), `data-${key}`);
}

/** The directory outside of any home where root keeps what another user must read. */
export function sharedRoot(roots: readonly string[] = SHARED_ROOTS): string {
  for (const root of roots) {
    const shared = join(root, SHARED_NAME);
    try {
      if (!existsSync(shared)) mkdirSync(shared, { mode: 0o755 });
      accessSync(shared, constants.W_OK);
      return shared;
    } catch {
      // Read-only or absent here: the next one may do.
    }
  }
  throw new EmbeddedServerError(
    `None of ${roots.join(', ')} can be written, and PostgreSQL, which does not run as root, needs a directory ` +
      'that its user can enter. Start the service as an ordinary user or set DATABASE_URL.',
  );
}

function mayEnter(user: SystemUser, path: string): boolean {
  const { mode, uid, gid } = statSync(path);
  if (uid === user.uid) return (mode & EXECUTE.owner) !== 0;
  if (gid === user.gid) return (mode & EXECUTE.group) !== 0;
  return (mode & EXECUTE.other) !== 0;
}
