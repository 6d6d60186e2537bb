import Type, { type TObject, type TProperties, type TString } from 'typebox';
import type { IdKind } from '../../kernel/ids.ts';
import { Instant } from '../../kernel/schema.ts';

const shared = (one: string) => ({
  version: Type.Integer({ description: 'Counts the changes, from 1' }),
  created_at: Instant({ description: `When the ${one} was created` }),
  updated_at: Instant({ description: `When the ${one} last changed` }),
});
type Shared = ReturnType<typeof shared>;

/** The schema of a resource: its id, its own properties, its version and its instants. */
export function trackedSchema<const Id extends string, P extends TProperties>(
  id: Id,
  of: {
    readonly kind: IdKind;
    readonly one: string;
    readonly title: string;
    readonly description?: string;
  },
  properties: P,
): TObject<{ [N in Id]: TString } & P & Shared> {
  const { kind, one, title, description } = of;
  const key = { [id]: Type.String({ description: `Id of the ${one}, \`${kind}…\`` }) } as {
    [N in Id]: TString;
  };
  return Type.Object(
    { ...key, ...properties, ...shared(one) },
    { title, ...(description && { description }) },
  );
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
