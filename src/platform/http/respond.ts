/** Turns a handler's result into status, headers and payload. A compiled serialiser writes the JSON. */
import { Readable } from 'node:stream';
import fastJson from 'fast-json-stringify';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once-for.ts';
import type { AnyRoute, OkResponse, RouteResult } from '../../kernel/route.ts';
import { withDocumentedParts } from '../../kernel/schema.ts';
import { schemaCheck } from '../schema-check.ts';
import { writeTag } from './etag.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | Readable;
}

type Serialise = (body: unknown) => string;

interface Compiled {
  readonly serialise: Serialise;
  readonly check: ((value: unknown) => string | undefined) | undefined;
}

/** The writer checks the parts of a union, and would warn of a format that it does not know. */
const WRITER = { ajv: { formats: { 'iso-4217': true } } } as const;

type Loose = Readonly<Record<string, unknown>>;
const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema for the writer, which would validate every value of a union with null to find its part. */
export function withoutNullUnions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNullUnions);
  if (!isLoose(schema)) return schema;
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withoutNullUnions(value)]),
  );
  const [part, none, ...others] = Array.isArray(anyOf) ? (anyOf as unknown[]) : [];
  const isNull = isLoose(none) && none['type'] === 'null' && others.length === 0;
  if (isLoose(part) && typeof part['type'] === 'string' && isNull)
    return { ...part, ...rest, nullable: true };
  return anyOf === undefined ? rest : { ...rest, anyOf };
}

function compile(response: OkResponse, strict: boolean): Compiled | undefined {
  if (response.schema === undefined) return undefined;
  return {
    serialise: fastJson(
      withoutNullUnions(response.schema) as Parameters<typeof fastJson>[0],
      WRITER,
    ) as Serialise,
    check: strict ? schemaCheck(withDocumentedParts(response.schema)) : undefined,
  };
}

const AMOUNT = /_(?:minor|micros)$/;
/** Whether a schema has amounts of money, at any depth. */
export const holdsMoney = (schema: unknown): boolean =>
  Array.isArray(schema)
    ? schema.some(holdsMoney)
    : isLoose(schema) &&
      (Object.keys(isLoose(schema['properties']) ? schema['properties'] : {}).some((name) =>
        AMOUNT.test(name),
      ) ||
        Object.values(schema).some(holdsMoney));

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

type Answerer = (result: RouteResult) => Answer;

/**
 * Writes the success answers of a route. With `strict`, an undeclared status or body becomes a 500. The first answer
 * compiles the serialiser, so the start of the service does not wait for all routes.
 */
export const createAnswerer = (route: AnyRoute, strict: boolean): Answerer =>
  strict ? strictAnswerer(route) : plainAnswerer(route);

const strictAnswerer = onceFor((route: AnyRoute) => answererOf(route, true));
const plainAnswerer = onceFor((route: AnyRoute) => answererOf(route, false));

function answererOf(route: AnyRoute, strict: boolean): Answerer {
  const byStatus = new Map(
    route.ok.map((response) => [response.status, once(() => compile(response, strict))] as const),
  );
  // Money is not cached (docs/design/wire.md), also where a route does not say so.
  const base = once(
    (): Readonly<Record<string, string>> =>
      route.cache === 'no-store' || holdsMoney(route.ok.map(({ schema }) => schema))
        ? { 'cache-control': 'no-store' }
        : {},
  );
  // A stored answer is sent unchanged, even an error, because a rejected feed is a finished run.
  const refusals = new Set(route.errors.map((def) => def.status));
  const wrong = (why: string) =>
    fail(coreErrors.internal_error, { detail: `undeclared answer of ${route.id}: ${why}` });
  return (result) => {
    const status = result.status ?? route.ok[0].status;
    const headers: Record<string, string> = { ...base(), ...result.headers };
    const tagWith = (json: string): void => {
      if (result.etag !== undefined) headers['etag'] = writeTag(result.etag, result.body, json);
    };
    const declared = byStatus.has(status) || (result.content !== undefined && refusals.has(status));
    if (strict && !declared) throw wrong(`status ${status}`);
    if (result.content !== undefined) {
      const { data, type } = result.content;
      tagWith(typeof data === 'string' ? data : '');
      headers['content-type'] = type;
      if (strict && typeof data === 'string' && /^application\/json\b/.test(type)) {
        const problem = byStatus.get(status)?.()?.check?.(JSON.parse(data));
        if (problem !== undefined) throw wrong(problem);
      }
      return {
        status,
        headers,
        payload:
          typeof data === 'string' || Buffer.isBuffer(data)
            ? data
            : Readable.from(data, { objectMode: false, highWaterMark: 64 * 1024 }),
      };
    }
    const compiled = byStatus.get(status)?.();
    const payload = compiled?.serialise(result.body) ?? '';
    tagWith(payload);
    if (compiled === undefined) return { status, headers, payload };
    const problem = compiled.check?.(JSON.parse(payload));
    if (problem !== undefined) throw wrong(problem);
    headers['content-type'] = 'application/json; charset=utf-8';
    return { status, headers, payload };
  };
}
