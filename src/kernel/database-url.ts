/** Reads DATABASE_URL as libpq does, also with several hosts (PostgreSQL manual, "Connection URIs"). */

export interface DatabaseAddress {
  /** A URL for each host, in the order in which the hosts are tried. */
  readonly urls: readonly [string, ...string[]];
  /** Whether a session that accepts no writes is closed, and the next host is tried. */
  readonly writable: boolean;
}

export const DATABASE_URL_ALLOWED =
  'a URL beginning with postgres:// or postgresql://. Several hosts stand as host1:5432,host2:5432 and need ' +
  'target_session_attrs=read-write. target_session_attrs is any, read-write or primary';

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
/** Values of `target_session_attrs`, and whether they ask for a session that accepts writes. The service needs one. */
const ATTRIBUTES = new Map([
  ['any', false],
  ['read-write', true],
  ['primary', true],
]);

/**
 * `pg` checks the certificate in these modes as in `verify-full`, and prints a warning that a later version will check
 * less. This keeps the check.
 */
const LIKE_VERIFY_FULL = /\bsslmode=(?:prefer|require|verify-ca)\b/;

/** @returns undefined if the text is not {@link DATABASE_URL_ALLOWED} */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  const [, login, hosts, rest] = PARTS.exec(text) ?? [];
  const parameters = rest?.includes('uselibpqcompat')
    ? rest
    : rest?.replace(LIKE_VERIFY_FULL, 'sslmode=verify-full');
  const [first, ...more] = hosts?.split(',').map((host) => `${login}${host}${parameters}`) ?? [];
  if (first === undefined || ![first, ...more].every((url) => URL.canParse(url))) return undefined;
  const { searchParams } = new URL(first);
  // A list in these parameters would be the name of one host.
  if (['host', 'port'].some((name) => searchParams.get(name)?.includes(','))) return undefined;
  const writable = ATTRIBUTES.get(searchParams.get('target_session_attrs') ?? 'any');
  if (writable === undefined || (more.length > 0 && !writable)) return undefined;
  return { urls: [first, ...more], writable };
}
