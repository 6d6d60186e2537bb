/**
 * The documents for the fees of a settlement, and their texts.
 * Source: docs/design/money.md#invoices.
 */
import { createHash } from 'node:crypto';
import type { PostalAddress } from '../../../kernel/australia/address.ts';
import { type Minor, minorToJson, sumMinor } from '../../../kernel/money.ts';
import { type EntryType, isCredit } from '../../ledger/domain/entry-types.ts';

export const INVOICE_KINDS = ['tax_invoice', 'adjustment_note', 'invoice'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];
export const INVOICE_STATUSES = ['draft', 'issued', 'adjusted'] as const;
export const PDF_STATUSES = ['available', 'pending', 'unavailable', 'failed'] as const;
export type PdfStatus = (typeof PDF_STATUSES)[number];
const GST_MODES = ['registered', 'limited', 'none'] as const;
export type GstMode = (typeof GST_MODES)[number];

/** Fees of a settlement that become one line of one document. */
export interface FeeGroup {
  readonly type: EntryType;
  readonly component: string;
  /** Whether the fee component is not taxable. */
  readonly untaxed: boolean;
  /** Whether the fees credit fees of earlier documents, or reverse such credits. */
  readonly earlier: boolean;
  readonly quantity: number;
  /** Charges are above zero. */
  readonly amount: Minor;
}

export interface InvoiceLine {
  readonly type: string;
  readonly component: string;
  readonly description: string;
  readonly quantity: number;
  /** Charges are above zero, credits below. */
  readonly amount_minor: number;
}

export interface PlannedDocument {
  readonly kind: InvoiceKind;
  /** Decides the texts. Fees that are not taxable have the texts of an operator without GST. */
  readonly gst_mode: GstMode;
  readonly untaxed: boolean;
  /** Which fees it takes: those that concern earlier documents, the others, or both. */
  readonly earlier: readonly boolean[];
  readonly lines: readonly InvoiceLine[];
  readonly total: Minor;
}

/** In the order of a document. */
const DESCRIPTIONS: Readonly<Partial<Record<EntryType, string>>> = {
  platform_fee: 'Platform fee',
  platform_fee_credit: 'Platform fee credit',
  platform_fee_credit_reversal: 'Platform fee credit reversal',
  loyalty_program_fund: 'Loyalty program fund',
  loyalty_program_fund_credit: 'Loyalty program fund credit',
  loyalty_program_fund_credit_reversal: 'Loyalty program fund credit reversal',
  seller_order_fee: 'Seller order fee',
  seller_order_fee_credit: 'Seller order fee credit',
  payment_processing: 'Payment processing',
  payment_processing_credit: 'Payment processing credit',
  dispute_fee: 'Dispute fee',
  dispute_fee_credit: 'Dispute fee returned',
};
const ORDER = Object.keys(DESCRIPTIONS);

/** Lines of a document: one for each type, in a fixed order. */
function invoiceLines(groups: readonly FeeGroup[]): InvoiceLine[] {
  const byType = Map.groupBy(groups, ({ type }) => type);
  return [...byType]
    .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map(([type, own]) => ({
      type,
      component: own[0]?.component ?? '',
      description: DESCRIPTIONS[type] ?? type,
      quantity: own.reduce((sum, { quantity }) => sum + quantity, 0),
      amount_minor: minorToJson(sumMinor(own.map(({ amount }) => amount))),
    }));
}

/**
 * Plans the documents of a settlement. A credit of a fee of the same settlement is a negative line of the invoice. A
 * credit of a fee in an earlier document is in an adjustment note. Fees that are not taxable have documents of their
 * own, because the sentence about GST would be false for them.
 */
export function planDocuments(groups: readonly FeeGroup[], mode: GstMode): PlannedDocument[] {
  return [false, true].flatMap((untaxed) => {
    const own = groups.filter((group) => group.untaxed === untaxed);
    const charges = own.some(({ type, earlier }) => !earlier && !isCredit(type));
    const gst_mode = untaxed && mode === 'registered' ? 'limited' : mode;
    const document = (kind: InvoiceKind, earlier: readonly boolean[]): PlannedDocument[] => {
      const taken = own.filter((group) => earlier.includes(group.earlier));
      if (taken.length === 0) return [];
      const total = sumMinor(taken.map(({ amount }) => amount));
      return [{ kind, gst_mode, untaxed, earlier, lines: invoiceLines(taken), total }];
    };
    if (!charges) return document('adjustment_note', [false, true]);
    const kind = gst_mode === 'registered' ? 'tax_invoice' : 'invoice';
    return [...document(kind, [false]), ...document('adjustment_note', [true])];
  });
}

const isPresent = (part: string | null | undefined): part is string => part != null && part !== '';

/** The lines of an address; a domestic one does not name the country. */
export function addressLines(address: PostalAddress): string[] {
  const { name, company, line1, line2, city, state, postcode, country } = address;
  const area = [city, state, postcode].filter(isPresent).join(' ');
  return [name, company, line1, line2, area, country === 'AU' ? null : country].filter(isPresent);
}

const PREFIX_DIGITS = 8;
const NUMBER_DIGITS = 4;

/** The number that people see: eight digits for the seller, then the place in the seller's series. */
export function invoiceNumber(sellerId: string, place: number): string {
  const digest = createHash('sha256').update(sellerId).digest();
  const prefix = String(digest.readUInt32BE(0) % 10 ** PREFIX_DIGITS).padStart(PREFIX_DIGITS, '0');
  return `${prefix}-${String(place).padStart(NUMBER_DIGITS, '0')}`;
}

export const HEADINGS: Readonly<Record<InvoiceKind, string>> = {
  tax_invoice: 'Tax invoice',
  adjustment_note: 'Adjustment note',
  invoice: 'Invoice',
};

/** The sentence about GST; none if the operator is not registered. */
export function gstSentence(kind: InvoiceKind, mode: GstMode): string | undefined {
  if (mode === 'none') return undefined;
  if (mode === 'limited') return 'No GST has been charged on these fees.';
  return kind === 'adjustment_note' ? 'Amounts include GST.' : 'Total price includes GST.';
}

/** Why fees of earlier invoices change. The total is zero if a fee was credited and charged again in one period. */
export function adjustmentReason(total: Minor): string {
  if (total > 0n)
    return 'Reason: fees that had been credited are charged again because refunds did not go through.';
  return total === 0n
    ? 'Reason: fees were credited for refunds or disputes and charged again because refunds did not go through.'
    : 'Reason: fees are credited because sales were refunded or disputed.';
}

/** The name of the total of an adjustment note. */
export function adjustmentTotal(total: Minor): string {
  if (total === 0n) return 'Total';
  return total < 0n ? 'Total decrease' : 'Total increase';
}

import type { Operator } from '../../settlements/domain/operator.ts';

/** Whether a document can be made. A tax invoice needs the ABN of its supplier. */
export const canRender = ({ name, abn }: Operator, mode: GstMode): boolean =>
  name !== null && (abn !== null || mode !== 'registered');
