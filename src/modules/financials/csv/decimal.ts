import { currencyExponent, formatDecimal, type Minor } from '../../../kernel/money.ts';

/** An amount with exactly the digits of its currency. */
export const decimal = (amount: Minor, currency: string): string =>
  formatDecimal(amount, currencyExponent(currency));
