/**
 * Configuration from the environment: one table, read once by main.ts and passed down. A bad value refuses to
 * start with its name and what is allowed. docs/configuration.md is generated from this table.
 * Source: docs/design/wire.md#keys-and-secrets.
 */
import { isIP } from 'node:net';
import { RATE_CLASSES, type RateLimits } from './kernel/rate-limits.ts';
import {
  integer,
  isPrivateUrl,
  list,
  oneOf,
  type Setting,
  type SettingsDef,
  setting,
  text,
  url,
  type ValuesOf,
} from './kernel/setting.ts';

export type AppEnv = 'development' | 'staging' | 'production';

/** `on`, `off`, or `class=quota/seconds` pairs separated by commas, for example `read=1200/60,feed=60/60`. */
function parseRateLimits(value: string): RateLimits | undefined {
  if (value === 'on') return { enabled: true, overrides: {} };
  if (value === 'off') return { enabled: false, overrides: {} };
  const overrides: Record<string, { quota: number; seconds: number }> = {};
  for (const part of value.split(',')) {
    const match = /^\s*([a-z]+)=(\d{1,9})\/(\d{1,5})\s*$/.exec(part);
    if (match === null || !RATE_CLASSES.some((name) => name === match[1])) return undefined;
    const [, name = '', quota, seconds] = match;
    if (Number(quota) < 1 || Number(seconds) < 1) return undefined;
    overrides[name] = { quota: Number(quota), seconds: Number(seconds) };
  }
  return { enabled: true, overrides };
}

const instant = (value: string): string | undefined =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Whether a text has the form of a list of signing keys; whether they are keys is seen when they are loaded. */
function looksLikeSigningKeys(value: string): boolean {
  try {
    const keys: unknown = JSON.parse(value);
    const isKey = (key: unknown): boolean =>
      typeof key === 'object' && key !== null && ['kty', 'crv', 'd', 'x'].every((name) => name in key);
    return Array.isArray(keys) && keys.length > 0 && keys.every(isKey);
  } catch {
    return false;
  }
}

/** Addresses, or ranges in CIDR notation. */
function parseRanges(value: string): readonly string[] | undefined {
  const ranges = value.split(',').map((part) => part.trim());
  const isRange = (range: string): boolean => {
    const [address = '', bits = '0', ...more] = range.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  };
  return ranges.every(isRange) ? ranges : undefined;
}

const ATTEMPTS_MAX = 50;
const DELAY_SECONDS_MAX = 30 * 86_400;

/** Seconds before each attempt. */
function parseSeconds(value: string): readonly number[] | undefined {
  const parts = value.split(',').map((part) => part.trim());
  const seconds = parts.map(Number);
  const fine = parts.every(
    (part, index) => /^\d{1,8}$/.test(part) && (seconds[index] ?? 0) <= DELAY_SECONDS_MAX,
  );
  return fine && parts.length <= ATTEMPTS_MAX ? seconds : undefined;
}

/** Base64 or base64url of 32 bytes, padding optional: the decoder itself would skip over anything. */
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
/** Fewer characters can be guessed from outside. */
const INTERNAL_TOKEN_MIN = 24;
const MiB = 1024 * 1024;

export const SETTINGS = {
  APP_ENV: oneOf(
    'What kind of installation this is; development gives every other setting a default',
    ['development', 'staging', 'production'],
    'development',
  ),
  PORT: integer('Port of the seller API', 0, 65_535, 8080),
  HOST: text('Address that the seller API listens on', { fallback: '127.0.0.1' }),
  INTERNAL_PORT: integer('Port of the marketplace listener', 0, 65_535, 8081),
  INTERNAL_HOST: text('Address that the marketplace listener listens on', { fallback: '127.0.0.1' }),
  INTERNAL_TOKEN: text(
    'Bearer token of the marketplace listener; comma-separated while rotating, all count',
    {
      allowed: 'any text, no part of it empty',
      parse: (value) => (value.split(',').every((part) => part.trim() !== '') ? value : undefined),
      requiredInProduction: true,
      secret: true,
    },
  ),
  DEMO_PORT: integer('Port of the demo marketplace (development only)', 0, 65_535, 8082),
  DEMO_TRADE: oneOf(
    'Whether the demo marketplace approves products, places orders and delivers parcels (development only)',
    ['on', 'off'],
    'on',
  ),
  DEMO_PAST_DAYS: integer(
    'Days of trade that the demo marketplace tells of in a database without sellers; 0: none (development only)',
    0,
    90,
    45,
  ),
  DATABASE_URL: url(
    'PostgreSQL 15 to 18; absent: the embedded server under DATA_DIR',
    ['postgres://', 'postgresql://'],
    { secret: true },
  ),
  DATA_DIR: text('Where the embedded server and the generated keys of development live', {
    fallback: '.data',
  }),
  PUBLIC_URL: url('Address under which sellers reach the API; absent: built from HOST and PORT', [
    'http://',
    'https://',
  ]),
  MARKETPLACE_ISSUER: url('Issuer (`iss`) of marketplace session tokens', ['http://', 'https://'], {
    requiredInProduction: true,
  }),
  MARKETPLACE_AUDIENCE: text('Audience (`aud`) of marketplace session tokens', {
    requiredInProduction: true,
  }),
  MARKETPLACE_JWKS_URL: url(
    'Key set of the marketplace; https, or http on loopback',
    ['http://', 'https://'],
    { requiredInProduction: true },
  ),
  TOKEN_SIGNING_KEYS: text('JSON array of private Ed25519 JWKs; the first signs, all verify', {
    allowed: 'a JSON array of private Ed25519 JWKs (kty, crv, d, x)',
    parse: (value) => (looksLikeSigningKeys(value) ? value : undefined),
    requiredInProduction: true,
    secret: true,
  }),
  SECRETS_KEY: list('Base64 of 32 bytes; comma-separated while rotating, the first encrypts', {
    allowed: 'base64 of 32 bytes each, separated by commas',
    parse: (value) => {
      const keys = value.split(',').map((part) => part.trim());
      return keys.every((key) => BASE64_OF_32_BYTES.test(key)) ? keys : undefined;
    },
    requiredInProduction: true,
    secret: true,
  }),
  CLOCK: oneOf(
    'manual: time moves by POST /internal/v1/clock only (refused in production)',
    ['system', 'manual'],
    'system',
  ),
  CLOCK_START: setting({
    doc: 'First instant of a manual clock',
    allowed: 'an RFC 3339 instant ending in Z',
    parse: instant,
  }),
  ROLE: oneOf('What this process does', ['all', 'api', 'worker'], 'all'),
  RATE_LIMITS: setting({
    doc: 'Rate limits',
    allowed: `on | off | class=quota/seconds,… with a class of ${RATE_CLASSES.join(', ')}`,
    parse: parseRateLimits,
    fallback: { enabled: true, overrides: {} },
  }),
  DB_POOL_SIZE: integer('Connections for requests', 2, 200, 8),
  DB_LONG_POOL_SIZE: integer('Connections for feeds, exports and the worker', 2, 100, 8),
  MAX_IN_FLIGHT: integer('Requests in flight at once; further ones are answered 503', 1, 100_000, 512),
  MAX_WAITING: integer('Requests that wait (`wait=`) at once; further ones do not wait', 0, 100_000, 5_000),
  SHUTDOWN_NOTICE_SECONDS: integer(
    'How long readiness answers 503 before the ports refuse, for load balancers to notice',
    0,
    5,
    0,
  ),
  TRUSTED_PROXIES: list(
    'Addresses or ranges of proxies whose X-Forwarded-For says who calls; none by default',
    { allowed: 'addresses or ranges like 10.0.0.0/8, separated by commas', parse: parseRanges },
  ),
  MAX_BODY_BYTES: integer('Largest JSON body', 1_024, 64 * MiB, 2 * MiB),
  MAX_FEED_BYTES: integer('Largest feed file, inflated', 1_024, 1_024 * MiB, 64 * MiB),
  MAX_SPOOL_BYTES: integer(
    'Room of one process for uploads in work, in its temporary folder; beyond it they are answered 503',
    1_024,
    1_024 * 1_024 * MiB,
    4_096 * MiB,
  ),
  MAX_FEED_ROWS: integer('Most rows of one feed, whatever the plan says', 1, 1_000_000, 100_000),
  MAX_ROW_BYTES: integer('Largest record of a feed', 1_024, 16 * MiB, 1 * MiB),
  MAX_CELL_BYTES: integer('Largest cell of a feed', 256, 16 * MiB, 128 * 1024),
  MAX_COLUMNS: integer('Most columns of a feed', 8, 10_000, 512),
  MAX_SYNC_SECONDS: integer('Longest synchronous feed run', 1, 600, 60),
  MAX_ASYNC_SECONDS: integer('Longest asynchronous feed run', 1, 7_200, 900),
  MAX_IMAGE_BYTES: integer('Largest uploaded image', 1_024, 64 * MiB, 10 * MiB),
  EVIDENCE_RETENTION_DAYS: integer('Days that row results and uploaded files are kept', 1, 3_650, 90),
  CORS_ORIGINS: list('Origins that browsers may call from; none by default'),
  ABR_GUID: text(
    'Registered GUID of the Australian Business Register service; absent: the register is not asked',
    { secret: true },
  ),
  ABR_BASE_URL: url('Address of the Australian Business Register service', ['http://', 'https://'], {
    fallback: 'https://abr.business.gov.au',
  }),
  WEBHOOK_RETRY_SCHEDULE: setting({
    doc: 'Seconds before each attempt of a webhook delivery, the first normally 0',
    allowed: 'up to 50 whole numbers of seconds, each at most 30 days, separated by commas',
    parse: parseSeconds,
    fallback: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  }),
  WEBHOOK_ALLOWED_CIDRS: list(
    'Address ranges that webhooks may reach although they are not public; never those of metadata services',
    { allowed: 'addresses or ranges like 127.0.0.0/8, separated by commas', parse: parseRanges },
  ),
  LOG_LEVEL: oneOf(
    'Least severe log line that is written',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
} as const;

/** Values of the core's settings; a module reads its own by its declaration (`defineSettings`). */
export type Config = Readonly<ValuesOf<typeof SETTINGS>>;

/** Thrown with every problem at once, each naming its variable and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const MARKETPLACE = ['MARKETPLACE_ISSUER', 'MARKETPLACE_AUDIENCE', 'MARKETPLACE_JWKS_URL'] as const;

/** Addresses that tokens are trusted by. */
function checkAddresses(values: Config, production: boolean): string[] {
  const everywhere = ['MARKETPLACE_JWKS_URL'] as const;
  const names = production ? ([...everywhere, 'MARKETPLACE_ISSUER', 'PUBLIC_URL'] as const) : everywhere;
  return names
    .filter((name) => values[name] !== undefined && !isPrivateUrl(values[name]))
    .map((name) => `${name}: allowed: https, or http on loopback`);
}

/** Production asks for each of them; elsewhere half of an identity provider is a mistake, not a demo. */
function checkMarketplace(values: Config): string[] {
  const missing = MARKETPLACE.filter((name) => values[name] === undefined);
  if (missing.length === 0 || values.APP_ENV === 'production') return [];
  if (missing.length === MARKETPLACE.length && values.APP_ENV === 'development') return [];
  const why =
    values.APP_ENV === 'staging' ? 'staging has no demo marketplace' : 'the others of the three are set';
  return missing.map((name) => `${name}: missing; ${why}`);
}

const nameOf = (problem: string): string => problem.slice(0, problem.indexOf(':'));

/** Rules that need more than one value. */
function crossChecks(values: Config): string[] {
  const problems: string[] = [];
  const production = values.APP_ENV === 'production';
  if (production && values.CLOCK === 'manual')
    problems.push('CLOCK: manual is refused in production; allowed: system');
  const short = values.INTERNAL_TOKEN?.split(',').some((part) => part.trim().length < INTERNAL_TOKEN_MIN);
  if (production && short)
    problems.push(`INTERNAL_TOKEN: at least ${INTERNAL_TOKEN_MIN} characters in production`);
  return [...problems, ...checkAddresses(values, production), ...checkMarketplace(values)];
}

/**
 * Reads the configuration.
 *
 * @param modules settings that modules declare, beside those of the core
 * @throws ConfigError naming every variable that is missing or not allowed; values of secrets are not shown
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  modules: readonly SettingsDef[],
): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const production = env['APP_ENV'] === 'production';
  const tables = [SETTINGS, ...modules.map(({ table }) => table)];
  for (const [name, definition] of tables.flatMap((table) => Object.entries(table)) as [
    string,
    Setting<unknown>,
  ][]) {
    const given = env[name];
    if (given === undefined || given === '') {
      if (production && definition.requiredInProduction) problems.push(`${name}: missing; ${definition.doc}`);
      values[name] = definition.fallback;
      continue;
    }
    const value = definition.parse(given);
    if (value === undefined)
      problems.push(
        `${name}: ${definition.secret ? 'the value' : JSON.stringify(given)} is not allowed; allowed: ${definition.allowed}`,
      );
    values[name] = value;
  }
  const named = new Set(problems.map(nameOf));
  const together = [
    ...crossChecks(values as Config),
    ...modules.flatMap(({ check }) => check?.(values) ?? []),
  ];
  problems.push(...together.filter((problem) => !named.has(nameOf(problem))));
  if (problems.length > 0)
    throw new ConfigError(`The configuration is not usable:\n  ${problems.join('\n  ')}`);
  return Object.freeze(values) as Config;
}
