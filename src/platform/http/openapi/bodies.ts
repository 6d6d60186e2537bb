/** Request bodies and the bodies of successes. */
import type { AnyRoute, MediaDoc, OkResponse, StreamBody } from '../../../kernel/route.ts';
import { closeObjects } from '../../../kernel/schema.ts';
import type { Components } from './components.ts';
import { compact, type Json, ref } from './document.ts';
import { isTagged, successHeaders } from './headers.ts';
import type { SchemaExamples } from './schema-examples.ts';

const isText = (contentType: string): boolean => /^text\/|json|ndjson|csv/.test(contentType);

/** A file in a form. Other names of the part are accepted too, but only this one is documented. */
export const UPLOAD_FORM: Json = {
  type: 'object',
  description: 'A form with one file.',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary', description: 'The file; it may have a name' } },
};

function rawSchema(contentType: string): Json {
  if (contentType === 'multipart/form-data') return ref('schemas', 'UploadForm');
  if (isText(contentType)) return { type: 'string' };
  return { type: 'string', format: 'binary', contentMediaType: contentType };
}

interface Raw {
  readonly contentTypes: readonly string[];
  readonly media: Readonly<Record<string, MediaDoc>>;
  readonly convert: (schema: object) => Json;
}

function rawContent({ contentTypes, media, convert }: Raw): Json {
  const entries = contentTypes.map((type) => {
    const { schema, example } = media[type] ?? {};
    return [type, compact({ schema: schema === undefined ? rawSchema(type) : convert(schema), example })];
  });
  return Object.fromEntries(entries);
}

function streamContent(body: StreamBody, components: Components): Json {
  const { contentTypes, example, media = {} } = body;
  const [first = ''] = contentTypes;
  // The example of the body has the first of the types.
  const documented =
    example === undefined || media[first] !== undefined ? media : { ...media, [first]: { example } };
  return rawContent({
    contentTypes,
    media: documented,
    convert: (schema) => components.request(closeObjects(schema)),
  });
}

/** The request body. Its objects are closed in the same way as for validation. */
export function requestBodyOf({ body }: AnyRoute, components: Components): Json | undefined {
  if (body === undefined) return undefined;
  if (body.kind === 'stream')
    return { description: body.description, required: true, content: streamContent(body, components) };
  const schema = components.request(body.ignoreUnknownKeys ? body.schema : closeObjects(body.schema));
  const required = ((body.schema as { required?: readonly string[] }).required ?? []).length > 0;
  return compact({
    description: body.ignoreUnknownKeys ? 'Unknown keys are ignored.' : undefined,
    required: required ? true : undefined,
    content: { 'application/json': { schema, example: body.example } },
  });
}

/** What the description of a route needs to know about all routes. */
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
  const { contentTypes = [], media = {} } = ok;
  const [first = ''] = contentTypes;
  const documented =
    ok.schema === undefined && ok.example !== undefined && media[first] === undefined
      ? { ...media, [first]: { example: ok.example } }
      : media;
  const json = jsonContent(ok, described);
  const convert = described.components.response;
  const raw = rawContent({ contentTypes, media: documented, convert });
  const content = { ...json, ...raw };
  return Object.keys(content).length === 0 ? undefined : content;
}

/** The successes of a route by status, with 304 for conditional reads. */
export function successesOf(route: AnyRoute, described: Described): Json {
  const entries = route.ok.map((ok) => [
    String(ok.status),
    compact({
      description: ok.description,
      headers: successHeaders(route, ok),
      content: successContent(ok, described),
    }),
  ]);
  const unchanged = { description: 'Not changed since the version in If-None-Match' };
  return Object.fromEntries(isTagged(route) ? [...entries, ['304', unchanged]] : entries);
}
