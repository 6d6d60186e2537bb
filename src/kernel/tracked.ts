import Type, { type TObject, type TProperties, type TString } from 'typebox';
import type { IdKind } from './ids.ts';
import { Instant } from './schema.ts';

const shared = (one: string) => ({
  version: Type.Integer({ description: 'Counts the changes, from 1' }),
  created_at: Instant({ description: `When the ${one} was created` }),
  updated_at: Instant({ description: `When the ${one} last changed` }),
});
type Shared = ReturnType<typeof shared>;

interface Named {
  readonly kind: IdKind;
  /** What one is called in texts: `shipping rule`. */
  readonly one: string;
  readonly title: string;
  readonly description?: string;
}

/** The schema of a resource: its id, its own properties, its version and its instants. */
export function trackedSchema<const Id extends string, P extends TProperties>(
  id: Id,
  { kind, one, title, description }: Named,
  properties: P,
): TObject<{ [N in Id]: TString } & P & Shared> {
  const key = { [id]: Type.String({ description: `Id of the ${one}, \`${kind}…\`` }) } as {
    [N in Id]: TString;
  };
  return Type.Object(
    { ...key, ...properties, ...shared(one) },
    { title, ...(description && { description }) },
  );
}

interface Fields<R extends TProperties, O extends TProperties, S extends TProperties> {
  /** Fields that the body of a new one must have. */
  readonly required: R;
  /** Fields that it may leave out. */
  readonly optional: O;
  /** Fields that only answers have. */
  readonly shown?: S;
}

/** What `resource` takes of a thing: its names, its schema, and the bodies of a new one and of a change. */
export function trackedSchemas<
  const Id extends string,
  R extends TProperties,
  O extends TProperties,
  S extends TProperties = Record<never, never>,
>(id: Id, def: Named & Fields<R, O, S>) {
  const { kind, one, title, required, optional, shown } = def;
  const fields = { ...required, ...optional };
  return {
    kind,
    one,
    schema: trackedSchema(id, def, { ...fields, ...shown } as R & O & S),
    input: Type.Object(
      { ...required, ...Type.Partial(Type.Object(optional)).properties },
      { title: `${title}Input`, description: `A new ${one}.` },
    ),
    change: Type.Partial(Type.Object(fields), {
      title: `${title}Change`,
      description: `The fields of a ${one} to change.`,
      minProperties: 1,
    }),
  };
}

/** An example of it. */
export const trackedExample = <const Id extends string, V extends object>(
  id: Id,
  kind: IdKind,
  values: V,
) => ({
  ...({ [id]: `${kind}01j0000000000000000000000` } as { [N in Id]: string }),
  ...values,
  version: 1,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
});
