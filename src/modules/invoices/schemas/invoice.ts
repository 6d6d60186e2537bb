import Type, { type Static } from 'typebox';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { INVOICE_KINDS, INVOICE_STATUSES, PDF_STATUSES } from '../domain/invoice.ts';

const Day = (description: string) => Type.String({ format: 'date', description });

export const Invoice = Type.Object(
  {
    invoice_id: Type.String(),
    invoice_number: Nullable(
      Type.String({ description: 'Number in the seller’s series, which has no gaps; null while a draft' }),
    ),
    kind: StringEnum(INVOICE_KINDS, {
      title: 'InvoiceKind',
      description:
        'tax_invoice: fees of a settlement; adjustment_note: changes fees of earlier documents; invoice: fees without GST',
    }),
    settlement_id: Type.String(),
    period_start: Day('First Sydney day of the settlement'),
    period_end: Day('Last Sydney day of the settlement'),
    issued_on: Nullable(Day('Sydney day of the close; null while a draft')),
    status: StringEnum(INVOICE_STATUSES, {
      title: 'InvoiceStatus',
      description: 'draft: the settlement is open; adjusted: an adjustment note concerns it',
    }),
    currency: Type.String(),
    currency_exponent: Type.Integer({ description: 'Decimal places of the currency' }),
    total_minor: Type.Integer({
      description: 'What the seller is charged; below zero it is given back. The sum of the lines',
    }),
    lines: Type.Array(
      Type.Object({
        component: Type.String({ description: 'Fee component' }),
        type: Type.String({ description: 'Type of its ledger entries' }),
        description: Type.String({ description: 'What the line is for' }),
        quantity: Type.Integer({ description: 'Number of its ledger entries' }),
        amount_minor: Type.Integer({ description: 'Charged above zero, credited below' }),
      }),
      { description: 'One for each type of fee' },
    ),
    adjusts_invoice_ids: Type.Array(Type.String(), {
      description: 'For a note: the documents that it concerns',
    }),
    paid_by: StringEnum(['settlement_deduction'], { description: 'Nothing is left to pay' }),
    supplier: Type.Object(
      {
        name: Nullable(Type.String({ description: 'Name of the marketplace' })),
        abn: Nullable(Type.String({ description: 'ABN of the marketplace' })),
      },
      { description: 'Who charges the fees' },
    ),
    recipient: described(
      'Who pays the fees: the business details when the document was issued',
      Type.Object({
        business_name: Type.String({ description: 'Legal name; without one the business name' }),
        abn: Nullable(
          Type.String({
            description:
              'ABN of the business details, else the tax identifier; null when its check digits are wrong',
          }),
        ),
        address_lines: Type.Array(Type.String(), {
          description: 'Registered address of the business, else its billing address; empty without one',
        }),
      }),
    ),
    pdf_status: StringEnum(PDF_STATUSES, {
      description: 'unavailable: the operator’s particulars are not configured',
    }),
    pdf_path: Nullable(Type.String({ description: 'Where the file is, once it is available' })),
    pdf_sha256: Nullable(Type.String({ description: 'Of the file, hexadecimal; it never changes' })),
    created_at: Nullable(Instant()),
  },
  { title: 'Invoice', description: 'A document about the fees of a settlement.' },
);
export type InvoiceResource = Static<typeof Invoice>;

export const INVOICE_EXAMPLE: InvoiceResource = {
  invoice_id: 'inv_01j2zk8yq4000000000000000a',
  invoice_number: '48213377-0001',
  kind: 'tax_invoice',
  settlement_id: 'stl_01j2zk8yq4000000000000000a',
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  issued_on: '2026-07-16',
  status: 'issued',
  currency: 'AUD',
  currency_exponent: 2,
  total_minor: 16_591,
  lines: [
    {
      component: 'platform_fee',
      type: 'platform_fee',
      description: 'Platform fee',
      quantity: 13,
      amount_minor: 12_968,
    },
    {
      component: 'platform_fee',
      type: 'platform_fee_credit',
      description: 'Platform fee credit',
      quantity: 1,
      amount_minor: -200,
    },
    {
      component: 'loyalty_program_fund',
      type: 'loyalty_program_fund',
      description: 'Loyalty program fund',
      quantity: 3,
      amount_minor: 1_436,
    },
    {
      component: 'seller_order_fee',
      type: 'seller_order_fee',
      description: 'Seller order fee',
      quantity: 7,
      amount_minor: 210,
    },
    {
      component: 'payment_processing',
      type: 'payment_processing',
      description: 'Payment processing',
      quantity: 7,
      amount_minor: 2_177,
    },
  ],
  adjusts_invoice_ids: [],
  paid_by: 'settlement_deduction',
  supplier: { name: 'Example Marketplace Pty Ltd', abn: '51824753556' },
  recipient: {
    business_name: 'Blue Mug Pty Ltd',
    abn: '83914571673',
    address_lines: ['12 Harbour Street', 'Sydney NSW 2000'],
  },
  pdf_status: 'available',
  pdf_path: '/api/v1/financials/invoices/inv_01j2zk8yq4000000000000000a/pdf',
  pdf_sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  created_at: '2026-07-15T16:00:00.000Z',
};
