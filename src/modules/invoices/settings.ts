/** Settings of the taxes on the operator's fees. */
import { defineSettings, oneOf, setting } from '../../kernel/setting.ts';

const FEE_COMPONENTS = [
  'platform_fee',
  'loyalty_program_fund',
  'seller_order_fee',
  'payment_processing',
] as const;
type FeeComponent = (typeof FEE_COMPONENTS)[number];

function parseComponents(value: string): readonly FeeComponent[] | undefined {
  const names = value.split(',').map((part) => part.trim());
  const known = names.flatMap((name) => FEE_COMPONENTS.filter((component) => component === name));
  return known.length === names.length ? known : undefined;
}

export const invoiceSettings = defineSettings({
  OPERATOR_GST_MODE: oneOf(
    'How the operator is registered for GST; registered issues tax invoices, limited and none issue plain invoices',
    ['registered', 'limited', 'none'],
    'registered',
  ),
  OPERATOR_UNTAXED_COMPONENTS: setting({
    doc: 'Fee components that are not taxable; they have an invoice of their own',
    allowed: `some of ${FEE_COMPONENTS.join(', ')}, separated by commas`,
    parse: parseComponents,
    fallback: [],
  }),
});
