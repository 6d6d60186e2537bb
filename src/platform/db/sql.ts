/** Statements: text with values. Where filters decide about the text, `conditions.ts` builds it. */
import type { Statement } from '../../kernel/context.ts';

/** A statement; `$1…` are filled from `values`. */
export function sql<Row = unknown>(text: string, values: readonly unknown[] = []): Statement<Row> {
  return { text, values };
}
