/** What a seller is registered with: by its owner, or by the marketplace. */
import Type from 'typebox';
import { allows } from '../../../kernel/schema.ts';

const BUSINESS_NAME_CHARS_MAX = 200;
/** 1 to 20 digits, leading zeros kept (docs/design/wire.md#registration). */
const TAX_ID_DIGITS_MAX = 20;

export const BusinessName = Type.String({
  minLength: 1,
  maxLength: BUSINESS_NAME_CHARS_MAX,
  // Something visible, and nothing that would break a line, a log or an encoding.
  ...allows(
    '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]+$',
    'Must not be blank, nor have control characters or line breaks.',
  ),
  description: 'Seller business name',
});

export const TaxId = Type.String({
  maxLength: TAX_ID_DIGITS_MAX,
  ...allows('^[0-9]+$', 'Use digits only, without spaces.'),
  description: 'Numeric tax identifier, 1 to 20 digits; leading zeros are kept',
});
