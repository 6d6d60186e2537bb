/** What the texts of a conversation may name. Source: docs/design/conversations.md#contact-data. */
import { currencyExponent, formatAmount, minor } from '../../../kernel/money.ts';

interface Goods {
  readonly seller_sku: string | null;
  readonly gtin: string | null;
}

/** All names and numbers of an order or a product. */
interface NamedSubject {
  readonly names: readonly (string | null)[];
  readonly lines: readonly Goods[];
  readonly amounts: readonly (number | null)[];
  readonly currency: string;
}

/** A GTIN is stored with 14 digits, and written without leading zeros. */
const written = (gtin: string | null): string | null => gtin?.replace(/^0+/, '') ?? null;

export function knownStrings({ names, lines, amounts, currency }: NamedSubject): string[] {
  const shown = amounts.flatMap((amount) =>
    amount === null || currencyExponent(currency) === 0 ? [] : [formatAmount(minor(amount), currency)],
  );
  const goods = lines.flatMap(({ seller_sku, gtin }) => [seller_sku, gtin, written(gtin)]);
  return [...names, ...goods, ...shown].filter((name) => name !== null && name !== '') as string[];
}
