/** Request bodies and the bodies of successes. */
import type { AnyRoute, MediaDoc, OkResponse, StreamBody } from '../../../kernel/route.ts';
import { closeObjects } from '../../../kernel/schema.ts';
import type { Components } from './components.ts';
import { compact, type Json } from './document.ts';
import { COMMON_HEADERS, isSingleRead, successHeaders } from './headers.ts';
import type { SchemaExamples } from './schema-examples.ts';

export const isText = (contentType: string): boolean => /^text\/|json|ndjson|csv/.test(contentType);

/** A file in a form: any other part name is taken too, this one is documented. */
const formOf = (description: string): Json => ({
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary', description } },
});

function rawSchema(contentType: string, description: string): Json {
  if (contentType === 'multipart/form-data') return formOf(description);
  if (isText(contentType)) return { type: 'string', description };
  return { type: 'string', format: 'binary', contentMediaType: contentType, description };
}

interface Raw {
  readonly contentTypes: readonly string[];
  readonly description: string;
  readonly media: Readonly<Record<string, MediaDoc>>;
  readonly convert: (schema: object) => Json;
}

function rawContent({ contentTypes, description, media, convert }: Raw): Json {
  const entries = contentTypes.map((type) => {
    const { schema, example } = media[type] ?? {};
    return [
      type,
      compact({ schema: schema === undefined ? rawSchema(type, description) : convert(schema), example }),
    ];
  });
  return Object.fromEntries(entries);
}

function streamContent(body: StreamBody, components: Components): Json {
  const { contentTypes, description, example, media = {} } = body;
  const [first = ''] = contentTypes;
  // The example of the body is written in the first of the types.
  const documented =
    example === undefined || media[first] !== undefined ? media : { ...media, [first]: { example } };
  return rawContent({
    contentTypes,
    description,
    media: documented,
    convert: (schema) => components.request(closeObjects(schema)),
  });
}

/** The request body: closed exactly as validation closes it. */
export function requestBodyOf({ body }: AnyRoute, components: Components): Json | undefined {
  if (body === undefined) return undefined;
  if (body.kind === 'stream')
    return { description: body.description, required: true, content: streamContent(body, components) };
  const schema = components.request(body.ignoreUnknownKeys ? body.schema : closeObjects(body.schema));
  const required = ((body.schema as { required?: readonly string[] }).required ?? []).length > 0;
  return {
    description: body.ignoreUnknownKeys ? 'Unknown keys are ignored.' : 'Unknown keys are refused with 422.',
    required,
    content: { 'application/json': { schema, example: body.example } },
  };
}

/** What is known of all routes when one is described. */
export interface Described {
  readonly components: Components;
  readonly examples: SchemaExamples;
}

function jsonContent({ schema, example }: OkResponse, { components, examples }: Described): Json {
  if (schema === undefined) return {};
  const own = examples.follows(schema, example) ? undefined : example;
  return { 'application/json': compact({ schema: components.response(schema), example: own }) };
}

function successContent(ok: OkResponse, described: Described): Json | undefined {
  const { contentTypes = [], media = {}, description } = ok;
  const [first = ''] = contentTypes;
  const documented =
    ok.schema === undefined && ok.example !== undefined && media[first] === undefined
      ? { ...media, [first]: { example: ok.example } }
      : media;
  const json = jsonContent(ok, described);
  const convert = described.components.response;
  const raw = rawContent({ contentTypes, description, media: documented, convert });
  const content = { ...json, ...raw };
  return Object.keys(content).length === 0 ? undefined : content;
}

/** The successes of a route by status, with 304 where reads are conditional. */
export function successesOf(route: AnyRoute, described: Described): Json {
  const entries = route.ok.map((ok) => [
    String(ok.status),
    compact({
      description: ok.description,
      headers: successHeaders(route, ok),
      content: successContent(ok, described),
    }),
  ]);
  const unchanged = {
    description: 'Not changed since the version in If-None-Match',
    headers: COMMON_HEADERS,
  };
  return Object.fromEntries(isSingleRead(route) ? [...entries, ['304', unchanged]] : entries);
}
