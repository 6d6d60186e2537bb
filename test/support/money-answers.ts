import type { TestSeller } from './app.ts';

/** Reads of money: neither a purchase nor a dropship order may change what they answer. */
export const MONEY_PATHS = [
  ...[
    'dashboard',
    'balances',
    'metrics',
    'taxes/bas-summary',
    'entries',
    'holds',
    'settlements',
    'invoices',
  ].map((name) => `/financials/${name}`),
  ...['/financials/settlements/summary', '/payments/payouts', '/payments/payouts/summary'],
  ...['/payments/payouts/expected', '/fees/schedule', '/fees/transactions', '/fees/audit'],
];

/** Path, status and text of each answer about money. The clock of the test has to stand still. */
export const moneyAnswers = (seller: Pick<TestSeller, 'call'>) =>
  Promise.all(
    MONEY_PATHS.map(async (path) => {
      const { status, text } = await seller.call('GET', path);
      return [path, status, text] as const;
    }),
  );
