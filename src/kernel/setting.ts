import { IsIPv4, IsIPv6 } from 'typebox/format';
import type { Configuration } from './context.ts';

export const MiB = 1024 * 1024;

/** A setting of the environment: which values are allowed, and how a text becomes a value. */
export interface Setting<T> {
  readonly doc: string;
  /** Says what is allowed, for the message about a refused value. */
  readonly allowed: string;
  /** Returns the value, or undefined when the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** The value if the variable is absent. */
  readonly fallback?: T;
  readonly requiredInProduction?: true;
  readonly secret?: true;
}

/** A setting of any type. */
type AnySetting = Setting<unknown>;

/** Settings by name, with rules that need more than one of them. */
export interface SettingsDef {
  readonly table: Readonly<Record<string, AnySetting>>;
  /** Problems as `NAME: what is wrong; what is allowed`. */
  readonly check?: (values: Configuration) => readonly string[];
}

type ValueOf<S> = S extends { readonly parse: (text: string) => infer R }
  ? S extends { readonly fallback: unknown }
    ? Exclude<R, undefined>
    : R | undefined
  : never;
/** Values of a table of settings; those without a default may be undefined. */
export type ValuesOf<T> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** Declares the settings of a module; `of` reads their values from the configuration of the service. */
export function defineSettings<const T extends Readonly<Record<string, AnySetting>>>(
  table: T,
  check?: (values: ValuesOf<T>) => readonly string[],
) {
  const of = (config: Configuration): ValuesOf<T> => config as ValuesOf<T>;
  return { table, of, ...(check && { check: (config: Configuration) => check(of(config)) }) };
}

type Defaulted<T> = Setting<T> & { readonly fallback: T };
/** A kind with more said about it; one with a default says so in its type. */
type Said<T, M> = Setting<T> & M;

export const setting = <S extends AnySetting>(definition: S): S => definition;

export const text = <const M extends Partial<Setting<string>>>(doc: string, more?: M): Said<string, M> =>
  ({ doc, allowed: 'any text', parse: (value: string) => value, ...more }) as Said<string, M>;
export const oneOf = <const T extends string>(
  doc: string,
  values: readonly T[],
  fallback: T,
): Defaulted<T> => ({
  doc,
  allowed: values.join(' | '),
  parse: (value) => values.find((candidate) => candidate === value),
  fallback,
});
export const integer = (doc: string, min: number, max: number, fallback: number): Defaulted<number> => ({
  doc,
  allowed: `a whole number from ${min} to ${max}`,
  parse: (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  fallback,
});
export const url = <const M extends Partial<Setting<string>>>(
  doc: string,
  protocols: readonly string[],
  more?: M,
): Said<string, M> =>
  ({
    doc,
    allowed: `a URL beginning with ${protocols.join(' or ')}`,
    parse: (value: string) =>
      URL.canParse(value) && protocols.some((protocol) => value.startsWith(protocol)) ? value : undefined,
    ...more,
  }) as Said<string, M>;
export const list = (
  doc: string,
  more: Partial<Setting<readonly string[]>> = {},
): Defaulted<readonly string[]> => ({
  doc,
  allowed: 'values separated by commas',
  parse: (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  fallback: [],
  ...more,
});

/** An address, or a range in CIDR notation. */
function isRange(range: string): boolean {
  const [address = '', bits = '0', ...more] = range.split('/');
  const bitsMax = IsIPv4(address) ? 32 : IsIPv6(address) ? 128 : -1;
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
}

export const addressRanges = (doc: string, example: string): Defaulted<readonly string[]> =>
  list(doc, {
    allowed: `addresses or ranges like ${example}, separated by commas`,
    parse: (value) => {
      const ranges = value.split(',').map((part) => part.trim());
      return ranges.every(isRange) ? ranges : undefined;
    },
  });

/** Whether an address is on this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);

/** Whether an address is https, or http on this machine. */
export function isPrivateUrl(address: string): boolean {
  const url = new URL(address);
  return url.protocol === 'https:' || isLoopback(url);
}
