/** Option axes of a variant. */
import type { Variation } from '../row.ts';
import { parentSku } from './file-key.ts';

export interface OptionValue {
  readonly name: string;
  readonly value: string;
}

/** Builds the variation of a product from its options in axis order; `null` when it has none. */
export function variationOf(parentKey: string, options: readonly OptionValue[]): Variation | null {
  if (options.length === 0) return null;
  return {
    parent_sku: parentSku(parentKey),
    theme: options.map((option) => option.name).join('/'),
    values: Object.fromEntries(options.map((option) => [option.name, option.value])),
  };
}
