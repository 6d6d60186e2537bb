/**
 * Puts parameters, answers and examples that several operations have in common under `components`, and replaces them by
 * references. The first operation with such a part gives it its name.
 */
import { compact, holdsExampleKey, type Json, ref } from './document.ts';

/** A shorter example takes less space than a reference and its component. */
const EXAMPLE_CHARS_MIN = 100;

type Kind = 'parameters' | 'responses' | 'examples';

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

/** One media type. A shared example is in `examples` instead of `example`. */
function visitMedia(media: Json, names: readonly string[], visit: Visit): Json {
  const { example, ...rest } = media;
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

/** Possible names of an answer. An error is named after its codes. */
function responseNames(status: string, response: Json, id: string): string[] {
  const codes = (response['x-codes'] ?? []) as readonly string[];
  const fallback = pascalCase(`${id} ${status}`);
  return codes.length === 1 ? [pascalCase(codes[0] ?? ''), fallback] : [fallback];
}

function visitResponse(status: string, response: Json, id: string, visit: Visit): Json {
  if (response['$ref'] !== undefined) return response;
  const content = visitContent(response['content'], [pascalCase(`${id} ${status}`)], visit);
  const component = compact({ ...response, content });
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
  const count = new Map<string, number>();
  const keyOf = ({ kind, component }: Part): string => `${kind} ${JSON.stringify(component)}`;
  const components: { [K in Kind]: Record<string, Json> } = { parameters: {}, responses: {}, examples: {} };
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

  const share = (part: Part, whole: Json): Json =>
    (count.get(keyOf(part)) ?? 0) > 1 || (part.kind === 'examples' && holdsExampleKey(part.component))
      ? ref(part.kind, nameOf(part))
      : whole;
  // Examples are moved first. After that, answers that differed only in the place of their example are equal.
  const examplesOnly =
    (visit: Visit): Visit =>
    (part, whole) =>
      part.kind === 'examples' ? visit(part, whole) : whole;
  const othersOnly =
    (visit: Visit): Visit =>
    (part, whole) =>
      part.kind === 'examples' ? whole : visit(part, whole);
  const counting: Visit = (part, whole) => {
    count.set(keyOf(part), (count.get(keyOf(part)) ?? 0) + 1);
    return whole;
  };

  visitPaths(paths, examplesOnly(counting));
  const withExamples = visitPaths(paths, examplesOnly(share));
  visitPaths(withExamples, othersOnly(counting));
  return { paths: visitPaths(withExamples, othersOnly(share)), components };
}
