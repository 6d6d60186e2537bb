/** The committed API description (openapi.json), and walks over it for tests. */
import { readFileSync } from 'node:fs';

/** A part of the document; its shape is the standard's, and the linters check it. */
export type Part = { readonly [key: string]: unknown };

export interface Operation extends Part {
  readonly operationId: string;
  readonly parameters?: readonly Part[];
  readonly requestBody?: Part;
  readonly responses: Readonly<Record<string, Part>>;
}

export interface Description extends Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Part>>>>;
  readonly tags: readonly { readonly name: string }[];
}

export const readDescription = (): Description =>
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Description;

export const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const partsOf = (value: unknown): (readonly [string, Part])[] =>
  isPart(value)
    ? Object.entries(value).flatMap(([key, part]) => (isPart(part) ? [[key, part] as const] : []))
    : [];
const listOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isPart) : []);

/** The part itself, or what it refers to. */
export function resolve(description: Description, part: Part): Part {
  const { $ref } = part;
  if (typeof $ref !== 'string') return part;
  const [, , kind = '', name = ''] = $ref.split('/');
  const found = description.components[kind]?.[name];
  if (found === undefined) throw new Error(`${$ref} leads nowhere`);
  return resolve(description, found);
}

/** Name of the component that the part refers to. */
export const nameOf = ({ $ref }: Part): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;

export interface Body {
  readonly place: string;
  readonly operation: Operation;
  readonly status: number;
  readonly type: string;
  readonly media: Part;
  readonly schema: Part;
}

export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.values(paths).flatMap((operations) => Object.values(operations));

const mediaOf = (operation: Operation, status: number, holder: Part): Body[] =>
  partsOf(holder['content']).map(([type, media]) => ({
    place: `${operation.operationId} ${status === 0 ? 'request' : status} ${type}`,
    operation,
    status,
    type,
    media,
    schema: isPart(media['schema']) ? media['schema'] : {},
  }));

/** All bodies of requests (status 0) and answers. */
export const bodiesOf = (description: Description): Body[] =>
  operationsOf(description).flatMap((operation) => [
    ...mediaOf(operation, 0, resolve(description, operation.requestBody ?? {})),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      mediaOf(operation, Number(status), resolve(description, response)),
    ),
  ]);

export interface Placed {
  /** `Order.lines[].title` */
  readonly place: string;
  readonly schema: Part;
}

function below(place: string, schema: Part): Placed[] {
  const variants = ['allOf', 'anyOf', 'oneOf', 'prefixItems'].flatMap((key) => listOf(schema[key]));
  return [
    { place, schema },
    ...partsOf(schema['properties']).flatMap(([name, part]) => below(`${place}.${name}`, part)),
    ...variants.flatMap((part) => below(place, part)),
    ...(isPart(schema['items']) ? below(`${place}[]`, schema['items']) : []),
    ...(isPart(schema['additionalProperties']) ? below(`${place}{}`, schema['additionalProperties']) : []),
  ];
}

/** Every schema of the document at the place where it stands; references are not followed. */
export function schemasOf(description: Description): Placed[] {
  const { schemas = {}, parameters = {}, responses = {} } = description.components;
  const inline = [
    ...Object.entries(responses).flatMap(([name, response]) =>
      partsOf(response['content']).map(([, { schema }]) => [name, schema] as const),
    ),
    ...Object.entries(parameters).map(([name, { schema }]) => [`?${name}`, schema] as const),
    ...operationsOf(description).flatMap(
      ({ operationId, parameters: own = [], requestBody = {}, responses: all }) => [
        ...own.map(({ name, schema }) => [`${operationId}?${String(name)}`, schema] as const),
        ...[requestBody, ...Object.values(all)].flatMap((holder) =>
          partsOf(holder['content']).map(([, { schema }]) => [operationId, schema] as const),
        ),
      ],
    ),
  ];
  return [...Object.entries(schemas), ...inline].flatMap(([place, schema]) =>
    isPart(schema) ? below(place, schema) : [],
  );
}

/** Whether the schema, what it refers to, or a variant of it has a description. */
export function isDescribed(description: Description, schema: Part): boolean {
  const found = resolve(description, schema);
  const variants = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(found[key]));
  return (
    [schema, found].some((one) => typeof one['description'] === 'string' && one['description'] !== '') ||
    variants.some((one) => nameOf(one) !== undefined && isDescribed(description, one))
  );
}

/** Whether any value passes: no keyword that says what the value is. */
export function isOpen(schema: Part): boolean {
  const { type, properties, allOf, additionalProperties } = schema;
  const says = Object.keys(schema).filter(
    (key) => !['description', 'examples', 'title', 'default'].includes(key),
  );
  if (says.length === 0) return true;
  const keyless = properties === undefined && allOf === undefined;
  return [type].flat().includes('object') && keyless && (additionalProperties ?? true) === true;
}
