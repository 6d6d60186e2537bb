import type { Severity } from '../row.ts';

/** A row code as the feed contract publishes it. */
export interface CodeDefinition {
  /** Default; a finding may have another severity. */
  readonly severity: Severity;
  /** Default message of a finding. */
  readonly message: string;
  /** Tells the seller what to do. */
  readonly hint?: string;
}

const definition =
  (severity: Severity) =>
  (message: string, hint?: string): CodeDefinition => ({
    severity,
    message,
    ...(hint === undefined ? {} : { hint }),
  });

/** The row is rejected. */
export const error = definition('error');
/** The row is applied; the seller should look at it. */
export const warning = definition('warning');
/** The row is applied; the finding says how a value was read. */
export const info = definition('info');
