/** The little of OpenAPI 3.1 that the description is made of. */

/** Any JSON object; its shape is the standard's, and the linter checks it. */
export type Json = { readonly [key: string]: unknown };

/** An object without the entries that are undefined. */
export function compact(entries: { readonly [key: string]: unknown }): Json {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** Linters take a key called `example` inside an example for a keyword: such an example stands in a component. */
export const holdsExampleKey = (example: unknown): boolean =>
  JSON.stringify(example)?.includes('"example":') ?? false;
