/** The user of the operating system that runs the server, because PostgreSQL does not run as root. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The user that distributions make for PostgreSQL. */
const USUAL_USER = 'postgres';
/** The user that this service makes if there is none. */
const OWN_USER = 'spp-postgres';
/** Numbers for system accounts, if no tool assigns them (Linux Standard Base: 100 to 499, later 999). */
const FIRST_SYSTEM_ID = 200;
const LAST_SYSTEM_ID = 999;
/** Commands that make a system user: of shadow-utils, then of BusyBox. */
const COMMANDS = [
  `useradd --system --no-create-home --home-dir /nonexistent --shell /bin/false ${OWN_USER}`,
  `adduser -S -D -H -h /nonexistent -s /bin/false ${OWN_USER}`,
];

/**
 * The user that must run the server.
 *
 * @param dataPath the data directory. If it exists, its owner continues to run the server.
 * @returns undefined if this process is not root; then it runs the server as its own user
 * @throws EmbeddedServerError if no such user exists and none can be made
 */
export function serverUser(dataPath: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(dataPath) ?? findUser(USUAL_USER) ?? findUser(OWN_USER) ?? makeUser();
}

/** Finds a user by name: in the local file, else through `id`, which asks the machine's directory service. */
export function findUser(name: string, passwd = readPasswd()): SystemUser | undefined {
  const local = parsePasswd(passwd).find((user) => user.name === name);
  if (local) return local;
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    return uid && gid ? { name, uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** The users of a text in the form of `/etc/passwd`, without root and without lines of another form. */
export function parsePasswd(text: string): SystemUser[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    const user = { name: name ?? '', uid: Number(uid), gid: Number(gid) };
    return user.name && user.uid > 0 && Number.isInteger(user.gid) ? [user] : [];
  });
}

/** A passwd and a group line for a new system user, with a number that neither file uses. */
export function passwdLines(passwd: string, group: string): { passwd: string; group: string } {
  const taken = new Set(`${passwd}\n${group}`.split('\n').map((line) => Number(line.split(':')[2])));
  let id = FIRST_SYSTEM_ID;
  while (taken.has(id)) id += 1;
  if (id > LAST_SYSTEM_ID) throw new EmbeddedServerError('No system user number is free.');
  return {
    passwd: `${OWN_USER}:x:${id}:${id}:Embedded PostgreSQL:/nonexistent:/bin/false\n`,
    group: `${OWN_USER}:x:${id}:\n`,
  };
}

function ownerOf(dataPath: string): SystemUser | undefined {
  if (!existsSync(dataPath)) return undefined;
  const { uid, gid } = lstatSync(dataPath);
  if (uid === 0) return undefined;
  return { name: parsePasswd(readPasswd()).find((user) => user.uid === uid)?.name ?? `uid ${uid}`, uid, gid };
}

function makeUser(): SystemUser {
  for (const command of COMMANDS) {
    const [tool = '', ...args] = command.split(' ');
    try {
      execFileSync(tool, args, { stdio: 'ignore' });
    } catch {
      continue;
    }
    const made = findUser(OWN_USER);
    if (made) return made;
  }
  return appendUser();
}

/** Makes the user in images that have no tool for users. */
function appendUser(): SystemUser {
  try {
    const lines = passwdLines(readPasswd(), readFileSync('/etc/group', 'utf8'));
    appendFileSync('/etc/group', lines.group);
    appendFileSync('/etc/passwd', lines.passwd);
  } catch (thrown) {
    throw new EmbeddedServerError(
      `PostgreSQL does not run as root, and no user "${OWN_USER}" could be made for it (${reasonOf(thrown)}). ` +
        'Start the service as an ordinary user, make that user, or set DATABASE_URL.',
    );
  }
  const made = findUser(OWN_USER);
  if (!made) throw new EmbeddedServerError(`The user "${OWN_USER}" was made but cannot be found.`);
  return made;
}

function readPasswd(): string {
  return existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
}
