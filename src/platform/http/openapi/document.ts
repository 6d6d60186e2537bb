/** The types of OpenAPI 3.1 that the description uses. */

/** Any JSON object. The linter checks that it has the shape of the standard. */
export type Json = { readonly [key: string]: unknown };

/** An object without the entries that are undefined. */
export function compact(entries: { readonly [key: string]: unknown }): Json {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** An example with a key `example` is put into a component, because linters read that key as a keyword. */
export const holdsExampleKey = (example: unknown): boolean =>
  JSON.stringify(example)?.includes('"example":') ?? false;
