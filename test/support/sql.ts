/** Statements of tests: text with `$1…` and their values. */
import type { Statement } from '../../src/kernel/context.ts';

export function sql<Row = unknown>(text: string, values: readonly unknown[] = []): Statement<Row> {
  return { text, values };
}
