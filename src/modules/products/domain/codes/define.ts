import type { Severity } from '../row.ts';

/** One entry of the catalogue of row codes, as the feed contract publishes it. */
export interface CodeDefinition {
  /** Default; the reporter may set another one. */
  readonly severity: Severity;
  /** Default sentence of the row result. */
  readonly message: string;
  /** What the seller can do about it. */
  readonly hint?: string;
}

/** The row is not applied. */
export function error(message: string, hint?: string): CodeDefinition {
  return hint === undefined ? { severity: 'error', message } : { severity: 'error', message, hint };
}

/** The row is applied; the seller should look at it. */
export function warning(message: string, hint?: string): CodeDefinition {
  return hint === undefined ? { severity: 'warning', message } : { severity: 'warning', message, hint };
}

/** The row is applied; the result says how something was read. */
export function info(message: string, hint?: string): CodeDefinition {
  return hint === undefined ? { severity: 'info', message } : { severity: 'info', message, hint };
}
