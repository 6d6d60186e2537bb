import Type, { type Static } from 'typebox';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { VERDICTS } from '../domain/business-numbers.ts';
import { NAME_MATCH_EXAMPLE, NameMatchSchema, REGISTER_EXAMPLE, Register } from './register.ts';

export const BusinessNumberVerdict = StringEnum(VERDICTS, {
  title: 'BusinessNumberVerdict',
  description:
    '`verified`: active, and the legal name or the ACN is that of the register; `mismatch`: active, and neither is; `inactive`: cancelled; `unknown`: the register has not answered yet',
});

export const VerificationSchema = Type.Object(
  {
    abn: Type.Object(
      {
        format_valid: Type.Boolean({ description: 'Eleven digits, the first not zero' }),
        checksum_valid: Type.Boolean({ description: 'Whether the check digits are right' }),
        register: Register,
        name_match: described(
          'How well the legal name fits the register; null when it was not compared',
          Nullable(NameMatchSchema),
        ),
        verdict: BusinessNumberVerdict,
        verified_at: Nullable(Instant({ description: 'When the register answered last; null: never' })),
        next_check_on: Nullable(
          Type.String({ format: 'date', description: 'When the service asks again; null: not asked yet' }),
        ),
      },
      { title: 'BusinessNumberCheck', description: 'What the register says about the ABN of the seller.' },
    ),
  },
  {
    title: 'BusinessVerification',
    description: 'The check of the present ABN and legal name; a change of either begins anew.',
  },
);

export const VERIFICATION_EXAMPLE: Static<typeof VerificationSchema> = {
  abn: {
    format_valid: true,
    checksum_valid: true,
    register: REGISTER_EXAMPLE,
    name_match: NAME_MATCH_EXAMPLE,
    verdict: 'verified',
    verified_at: '2026-06-28T01:00:00.000Z',
    next_check_on: '2026-07-28',
  },
};
