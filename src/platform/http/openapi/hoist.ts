/**
 * Puts parameters, answers, headers and examples that several operations have in common under `components`, and
 * replaces them by references. The most common of the parts with the same name gets that name.
 */
import { STATUS_CODES } from 'node:http';
import { compact, holdsExampleKey, type Json, ref } from './document.ts';

/** A shorter example takes less space than a reference and its component. */
const EXAMPLE_CHARS_MIN = 100;

type Kind = 'parameters' | 'responses' | 'examples' | 'headers';

/** A part of an operation that other operations may have too. */
interface Part {
  readonly kind: Kind;
  /** The parts under `components`. */
  readonly component: Json;
  /** Possible names, the best first. The first free name is used. */
  readonly names: readonly string[];
}

/** `not_found` is `NotFound`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

type Visit = (part: Part, whole: Json) => Json;

const mapValues = (entries: unknown, change: (value: Json, key: string) => Json): Json =>
  Object.fromEntries(
    Object.entries((entries ?? {}) as { [key: string]: Json }).map(([key, value]) => [
      key,
      change(value, key),
    ]),
  );

/** The part of the reference that names the component. */
const referredName = (schema: unknown): string | undefined => {
  const found: unknown = (schema as Json | undefined)?.['$ref'];
  return typeof found === 'string' ? found.split('/').at(-1) : undefined;
};

/** A shared part is a reference already. */
const visitEach = (kind: Kind, parts: unknown, prefix: string, visit: Visit): Json =>
  mapValues(parts, (component, name) =>
    component['$ref'] === undefined
      ? visit({ kind, component, names: [name, `${prefix}.${name}`] }, component)
      : component,
  );

/** One media type. A shared example is in `examples` instead of `example`. */
function visitMedia(media: Json, names: readonly string[], visit: Visit): Json {
  const { example, examples, ...rest } = media;
  if (examples !== undefined)
    return { ...rest, examples: visitEach('examples', examples, names[0] ?? '', visit) };
  if (example === undefined || JSON.stringify(example).length < EXAMPLE_CHARS_MIN) return media;
  const name = referredName(media['schema']);
  const component = { value: example };
  const shared = visit(
    { kind: 'examples', component, names: name === undefined ? names : [name, ...names] },
    media,
  );
  return shared === media ? media : { ...rest, examples: { default: shared } };
}

const visitContent = (content: unknown, names: readonly string[], visit: Visit): Json | undefined =>
  content === undefined
    ? undefined
    : mapValues(content, (media, type) =>
        visitMedia(media, [...names, ...names.map((name) => pascalCase(`${name} ${type}`))], visit),
      );

/** The common errors of several codes. */
const ERROR_NAMES: Readonly<Record<string, string>> = {
  401: 'Unauthorised',
  403: 'Forbidden',
  409: 'IdempotencyConflict',
};

/** Possible names of an answer. An error is named after its code, an answer without a body after its status. */
function responseNames(status: string, response: Json, id: string): string[] {
  const codes = response['x-codes'] as readonly string[] | undefined;
  const [only = '', more] = codes ?? [];
  const common = codes === undefined ? STATUS_CODES[status] : more === undefined ? only : ERROR_NAMES[status];
  const own = pascalCase(`${id} ${status}`);
  return common === undefined || (codes === undefined && response['content'] !== undefined)
    ? [own]
    : [pascalCase(common), own];
}

function visitResponse(status: string, response: Json, id: string, visit: Visit): Json {
  if (response['$ref'] !== undefined) return response;
  const content = visitContent(response['content'], [pascalCase(`${id} ${status}`)], visit);
  const headers = response['headers'] && visitEach('headers', response['headers'], id, visit);
  const component = compact({ ...response, headers, content });
  return visit({ kind: 'responses', component, names: responseNames(status, component, id) }, component);
}

function visitOperation(operation: Json, visit: Visit): Json {
  const id = String(operation['operationId']);
  const parameters = operation['parameters'] as readonly Json[] | undefined;
  const body = operation['requestBody'] as Json | undefined;
  return compact({
    ...operation,
    parameters: parameters?.map((one) => {
      const name = String(one['name']);
      return visit({ kind: 'parameters', component: one, names: [name, `${id}.${name}`] }, one);
    }),
    requestBody:
      body &&
      compact({ ...body, content: visitContent(body['content'], [pascalCase(`${id} request`)], visit) }),
    responses: mapValues(operation['responses'], (one, status) => visitResponse(status, one, id, visit)),
  });
}

interface Hoisted {
  /** The paths, or webhooks, with references in place of shared parts. */
  readonly paths: Json;
  readonly components: { readonly [K in Kind]: { readonly [name: string]: Json } };
}

const visitPaths = (paths: Json, visit: Visit): Json =>
  mapValues(paths, (operations) => mapValues(operations, (one) => visitOperation(one, visit)));

/** Moves parts that occur at least twice to components. `taken` are the existing components. */
export function hoist(paths: Json, taken: { readonly [K in Kind]?: Json }): Hoisted {
  const parts = new Map<string, { readonly part: Part; count: number }>();
  const keyOf = ({ kind, component }: Part): string => `${kind} ${JSON.stringify(component)}`;
  const components: { [K in Kind]: Record<string, Json> } = {
    parameters: {},
    responses: {},
    examples: {},
    headers: {},
  };
  const names = new Map<string, string>();

  function nameOf(part: Part): string {
    const key = keyOf(part);
    const known = names.get(key);
    if (known !== undefined) return known;
    const used = { ...taken[part.kind], ...components[part.kind] };
    const name = part.names.find((one) => !Object.hasOwn(used, one));
    if (name === undefined) throw new Error(`no name is left for ${part.kind} ${part.names.join(', ')}`);
    components[part.kind][name] = part.component;
    names.set(key, name);
    return name;
  }

  const share: Visit = (part, whole) =>
    (parts.get(keyOf(part))?.count ?? 0) > 1 || (part.kind === 'examples' && holdsExampleKey(part.component))
      ? ref(part.kind, nameOf(part))
      : whole;
  const counting: Visit = (part, whole) => {
    const known = parts.get(keyOf(part));
    if (known === undefined) parts.set(keyOf(part), { part, count: 1 });
    else known.count += 1;
    return whole;
  };

  /** Shares the parts of some kinds. */
  function shareKinds(paths: Json, kinds: readonly Kind[]): Json {
    const only =
      (visit: Visit): Visit =>
      (part, whole) =>
        kinds.includes(part.kind) ? visit(part, whole) : whole;
    visitPaths(paths, only(counting));
    const common = [...parts.values()].filter(({ part, count }) => count > 1 && kinds.includes(part.kind));
    for (const { part } of common.sort((a, b) => b.count - a.count)) nameOf(part);
    return visitPaths(paths, only(share));
  }

  // Examples and headers are moved first. After that, answers that differed only in their place are equal.
  const withInner = shareKinds(paths, ['examples', 'headers']);
  return { paths: shareKinds(withInner, ['parameters', 'responses']), components };
}
