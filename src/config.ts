/**
 * The configuration from the environment, declared in one table. main.ts reads it once and passes it on. With a bad
 * value the start fails and names the variable and the allowed values. docs/configuration.md is generated from this
 * table.
 * Source: docs/design/wire.md#keys-and-secrets.
 */

import { readFileSync } from 'node:fs';
import { DATABASE_URL_ALLOWED, databaseAddress } from './kernel/database-url.ts';
import { DEFAULT_RATE_LIMITS, RATE_CLASSES, type RateLimits } from './kernel/rate-limits.ts';
import { ENVIRONMENTS } from './kernel/route.ts';
import {
  addressRanges,
  integer,
  isPrivateUrl,
  list,
  MiB,
  oneOf,
  type Setting,
  type SettingsDef,
  setting,
  text,
  url,
  type ValuesOf,
} from './kernel/setting.ts';

/** Reads `on`, `off`, or `class=quota/seconds` pairs separated by commas, such as `read=1200/60,feed=60/60`. */
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

/** Reads headers as OpenTelemetry writes them: pairs with percent-encoded values. */
function headerPairs(value: string): Readonly<Record<string, string>> | undefined {
  const pairs = value.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*([!-~]+)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '%')] as const),
    );
  } catch {
    return undefined;
  }
}

/** Whether a text has the form of a list of signing keys. The keys themselves are checked when they are loaded. */
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

/** Base64 or base64url of 32 bytes, padding optional. The decoder alone would skip invalid characters. */
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
/** The fewest characters. A shorter token could be guessed. */
const INTERNAL_TOKEN_MIN = 24;

const RATE_DEFAULTS = Object.entries(DEFAULT_RATE_LIMITS)
  .map(([name, { quota, seconds }]) => `${name}=${quota}/${seconds}`)
  .join(', ');

export const SETTINGS = {
  APP_ENV: oneOf(
    'What kind of installation this is; development gives every other setting a default',
    ENVIRONMENTS,
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
    'Days of trade that the demo marketplace replays in a database without sellers; 0: none (development only)',
    0,
    90,
    45,
  ),
  DATABASE_URL: text('PostgreSQL 15 to 18; absent: the embedded server under DATA_DIR', {
    allowed: DATABASE_URL_ALLOWED,
    parse: (value) => (databaseAddress(value) === undefined ? undefined : value),
    secret: true,
  }),
  DATA_DIR: text('Where the embedded server and the generated keys of development live', {
    fallback: '.data',
  }),
  PUBLIC_URL: url(
    'Address under which sellers reach the API, and buyers the images; absent: built from HOST and PORT',
    ['http://', 'https://'],
  ),
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
    doc: `Rate limits by seller, or by address on routes without a service token; \`auth\` counts refused requests only. Default: ${RATE_DEFAULTS}`,
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
  TRUSTED_PROXIES: addressRanges(
    'Addresses or ranges of proxies whose X-Forwarded-For says who calls; none by default',
    '10.0.0.0/8',
  ),
  MAX_BODY_BYTES: integer('Largest JSON body', 1_024, 64 * MiB, 2 * MiB),
  MAX_SPOOL_BYTES: integer(
    'Room of one process for uploads in work, in its temporary folder; beyond it they are answered 503',
    1_024,
    1_024 * 1_024 * MiB,
    4_096 * MiB,
  ),
  CORS_ORIGINS: list('Origins that browsers may call from; none by default'),
  RETURN_URL_ORIGINS: list(
    'Origins that a browser may be sent back to from the pages of others; none: in development those of this machine',
    {
      allowed: 'origins like https://shop.example, separated by commas; http on this machine only',
      parse: (value) => {
        const origins = value.split(',').map((part) => part.trim());
        const isOrigin = (part: string): boolean =>
          URL.canParse(part) && new URL(part).origin === part && isPrivateUrl(part);
        return origins.every(isOrigin) ? origins : undefined;
      },
    },
  ),
  LOG_LEVEL: oneOf(
    'Least severe log line that is written',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Where the spans of traces go, by OpenTelemetry (OTLP over HTTP), without `/v1/traces`; absent: none are recorded',
    ['http://', 'https://'],
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    doc: 'Headers for that address, such as a key',
    allowed: 'name=value pairs, separated by commas',
    parse: headerPairs,
    secret: true,
  }),
  OTEL_SERVICE_NAME: text('Name of the service in its spans', { fallback: 'seller-partner-service' }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    doc: 'Share of the traces that are recorded',
    allowed: 'a number from 0 to 1',
    parse: (value) => (/^(?:0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(value) ? Number(value) : undefined),
    fallback: 1,
  }),
} as const;

/** Values of the core's settings. A module reads its own settings by its declaration (`defineSettings`). */
export type Config = Readonly<ValuesOf<typeof SETTINGS>>;

/** Has every problem at once. Each names its variable and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const MARKETPLACE = ['MARKETPLACE_ISSUER', 'MARKETPLACE_AUDIENCE', 'MARKETPLACE_JWKS_URL'] as const;

/** Checks the addresses on which the trust in tokens depends. */
function checkAddresses(values: Config, production: boolean): string[] {
  const everywhere = ['MARKETPLACE_JWKS_URL'] as const;
  const names = production ? ([...everywhere, 'MARKETPLACE_ISSUER', 'PUBLIC_URL'] as const) : everywhere;
  return names
    .filter((name) => values[name] !== undefined && !isPrivateUrl(values[name]))
    .map((name) => `${name}: allowed: https, or http on loopback`);
}

/** Outside production: staging needs all settings of the marketplace, and development needs all or none. */
function checkMarketplace(values: Config): string[] {
  const missing = MARKETPLACE.filter((name) => values[name] === undefined);
  if (missing.length === 0 || values.APP_ENV === 'production') return [];
  if (missing.length === MARKETPLACE.length && values.APP_ENV === 'development') return [];
  const why =
    values.APP_ENV === 'staging' ? 'staging has no demo marketplace' : 'the others of the three are set';
  return missing.map((name) => `${name}: missing; ${why}`);
}

/** The setting that a problem is about. */
const nameOf = (problem: string): string => problem.slice(0, problem.indexOf(':')).replace(/_FILE$/, '');

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks the rules that compare several values. */
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

/** The file that has a secret, as Docker, Kubernetes and systemd hand secrets over. */
const fileOf = (name: string): string => `${name}_FILE`;

/** Reads a secret from its file, without the line break at the end. @throws Error with the problem */
function readSecret(env: Environment, name: string, path: string): string {
  if (env[name]) throw new Error(`${fileOf(name)}: ${name} is set too; set one of the two`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${fileOf(name)}: the file ${JSON.stringify(path)} cannot be read (${code}); allowed: the path of a file`,
    );
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '')
    throw new Error(`${fileOf(name)}: the file ${JSON.stringify(path)} is empty; write the value into it`);
  return secret;
}

/** The text of a setting. @throws Error with the problem */
function textOf(env: Environment, name: string, { secret }: Setting<unknown>): string | undefined {
  const path = secret ? env[fileOf(name)] : undefined;
  return (path ? readSecret(env, name, path) : env[name]) || undefined;
}

/** The value of a setting. @throws Error with the problem, which does not show a secret */
function settingOf(env: Environment, name: string, definition: Setting<unknown>): unknown {
  const given = textOf(env, name, definition);
  if (given === undefined) {
    if (env['APP_ENV'] === 'production' && definition.requiredInProduction)
      throw new Error(`${name}: missing; ${definition.doc}`);
    return definition.fallback;
  }
  const value = definition.parse(given);
  if (value !== undefined) return value;
  const shown = definition.secret ? 'the value' : JSON.stringify(given);
  throw new Error(`${name}: ${shown} is not allowed; allowed: ${definition.allowed}`);
}

/**
 * Reads the configuration. A secret may be in a file: `SECRETS_KEY_FILE` names the file of `SECRETS_KEY`.
 *
 * @param modules settings that modules declare, beside those of the core
 * @throws ConfigError that names every missing or bad variable. It does not show the values of secrets
 */
export function readConfig(env: Environment, modules: readonly SettingsDef[]): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const tables: SettingsDef['table'][] = [SETTINGS, ...modules.map(({ table }) => table)];
  for (const [name, definition] of tables.flatMap((table) => Object.entries(table))) {
    try {
      values[name] = settingOf(env, name, definition);
    } catch (error) {
      problems.push((error as Error).message);
    }
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
