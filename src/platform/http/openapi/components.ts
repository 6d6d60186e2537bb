/** Schemas that have a name (`$id` or `title`) stand once under `components` and are referred to. */
import { type Json, ref } from './document.ts';
import { mapSubschemas, normaliseSchema } from './normalise-schema.ts';

export interface Components {
  /** A schema of an answer, its named parts replaced by references. */
  response(schema: object): Json;
  /** The same for a request. Bodies are closed, so a shared name may need a second component, `…Input`. */
  request(schema: object): Json;
  readonly schemas: { readonly [name: string]: Json };
}

/** `Feed run` and `feed_run` are both the component `FeedRun`. */
function componentName(schema: object): string | undefined {
  const { $id, title } = schema as { $id?: unknown; title?: unknown };
  const text = typeof $id === 'string' ? $id : title;
  if (typeof text !== 'string' || text === '') return undefined;
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** An empty collection of components. Register all answers before the first request. */
export function createComponents(): Components {
  const schemas: Record<string, Json> = {};

  function register(name: string, schema: Json, request: boolean): string {
    const before = schemas[name];
    if (before === undefined || JSON.stringify(before) === JSON.stringify(schema)) {
      schemas[name] = schema;
      return name;
    }
    if (request && !name.endsWith('Input')) return register(`${name}Input`, schema, request);
    throw new Error(`two different schemas are called ${name}; give one of them another title`);
  }

  function convert(schema: object, request: boolean): Json {
    const own = normaliseSchema(schema);
    const mapped: Json = mapSubschemas(own, (part) => convert(part, request));
    const name = componentName(schema);
    return name === undefined ? mapped : ref('schemas', register(name, mapped, request));
  }

  return {
    response: (schema) => convert(schema, false),
    request: (schema) => convert(schema, true),
    schemas,
  };
}
