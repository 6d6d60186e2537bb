/** Statements: text with values. `conditions.ts` builds the text where filters change it. */
import type { Statement } from '../../kernel/context.ts';

/** A statement; `$1…` are filled from `values`. */
export function sql<Row = unknown>(text: string, values: readonly unknown[] = []): Statement<Row> {
  return { text, values };
}
