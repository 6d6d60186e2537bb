/** What events of suppliers have in common: their fields, and what every one of them has to keep. */
import Type, { type TSchema } from 'typebox';
import { type IntakeCtx, IntakeRejection } from '../../../kernel/events.ts';
import { MINOR_MAX } from '../../../kernel/money.ts';
import { NOT_BLANK, Nullable } from '../../../kernel/schema.ts';
import { breaksProblem, type ItemTerms } from '../domain/terms.ts';

export const QUANTITY_MAX = 1_000_000;
/** No supplier may freeze what it says by an instant far ahead. */
const AHEAD_MAX_MS = 600_000;

const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const quantity = Type.Integer({ minimum: 1, maximum: QUANTITY_MAX });
const amount = Type.Integer({ minimum: 0, maximum: Number(MINOR_MAX) });

export const supplierFields = {
  optional,
  amount,
  named: (maxLength: number) => Type.String({ minLength: 1, maxLength, ...NOT_BLANK }),
  days: Type.Integer({ minimum: 0, maximum: 365 }),
  /** How goods can be ordered. */
  terms: {
    pack_size: quantity,
    minimum_quantity: quantity,
    maximum_quantity: optional(quantity),
    price_breaks: Type.Array(Type.Object({ min_quantity: quantity, pack_price_minor: amount }), {
      ...{ minItems: 1, maxItems: 20 },
    }),
  },
};

/** @throws IntakeRejection `data_invalid` */
export function requirePast(intake: IntakeCtx, said: Readonly<Record<string, string>>): void {
  for (const [field, instant] of Object.entries(said))
    if (Date.parse(instant) > intake.now() + AHEAD_MAX_MS)
      throw new IntakeRejection('data_invalid', `${field} lies in the future: ${instant}`);
}

type SaidTerms = Omit<ItemTerms, 'maximum_quantity'> & { readonly maximum_quantity?: number | null };

/** @throws IntakeRejection `price_breaks_invalid`, `data_invalid`, each with the place in the event */
export function requireTerms(said: SaidTerms, place: string): void {
  const { maximum_quantity = null, minimum_quantity } = said;
  if (maximum_quantity !== null && maximum_quantity < minimum_quantity)
    throw new IntakeRejection('data_invalid', `${place}/maximum_quantity is below minimum_quantity`);
  const problem = breaksProblem({ ...said, maximum_quantity });
  if (problem !== undefined)
    throw new IntakeRejection('price_breaks_invalid', `${place}/price_breaks: ${problem}`);
}
