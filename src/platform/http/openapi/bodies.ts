/** Request bodies and the bodies of successes. */
import type { AnyRoute, OkResponse } from '../../../kernel/route.ts';
import { closeObjects } from '../../../kernel/schema.ts';
import type { Components } from './components.ts';
import { compact, type Json } from './document.ts';
import { COMMON_HEADERS, isSingleRead, successHeaders } from './headers.ts';

/** Text is described as a string; anything else is bytes, which OpenAPI 3.1 leaves without a type. */
const rawSchema = (contentType: string): Json =>
  /^text\/|json|ndjson|csv/.test(contentType) ? { type: 'string' } : {};

function rawContent(contentTypes: readonly string[], example: unknown): Json {
  const entries = contentTypes.map((type, index) => [
    type,
    // The example is written in the first of the types.
    compact({ schema: rawSchema(type), example: index === 0 ? example : undefined }),
  ]);
  return Object.fromEntries(entries);
}

/** The request body: closed exactly as validation closes it. */
export function requestBodyOf({ body }: AnyRoute, components: Components): Json | undefined {
  if (body === undefined) return undefined;
  if (body.kind === 'stream') {
    return {
      description: body.description,
      required: true,
      content: rawContent(body.contentTypes, body.example),
    };
  }
  const schema = components.request(body.ignoreUnknownKeys ? body.schema : closeObjects(body.schema));
  const required = ((body.schema as { required?: readonly string[] }).required ?? []).length > 0;
  return {
    description: body.ignoreUnknownKeys ? 'Unknown keys are ignored.' : 'Unknown keys are refused with 422.',
    required,
    content: { 'application/json': { schema, example: body.example } },
  };
}

function successContent(ok: OkResponse, components: Components): Json | undefined {
  const json =
    ok.schema === undefined
      ? {}
      : { 'application/json': compact({ schema: components.response(ok.schema), example: ok.example }) };
  const raw =
    ok.contentTypes === undefined
      ? {}
      : rawContent(ok.contentTypes, ok.schema === undefined ? ok.example : undefined);
  const content = { ...raw, ...json };
  return Object.keys(content).length === 0 ? undefined : content;
}

/** The successes of a route by status, with 304 where reads are conditional. */
export function successesOf(route: AnyRoute, components: Components): Json {
  const entries = route.ok.map((ok) => [
    String(ok.status),
    compact({
      description: ok.description,
      headers: successHeaders(route, ok),
      content: successContent(ok, components),
    }),
  ]);
  const unchanged = {
    description: 'Not changed since the version in If-None-Match',
    headers: COMMON_HEADERS,
  };
  return Object.fromEntries(isSingleRead(route) ? [...entries, ['304', unchanged]] : entries);
}
