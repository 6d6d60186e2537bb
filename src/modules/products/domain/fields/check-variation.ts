import type { Variation } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { checkAttributeName } from './check-attributes.ts';
import { checkLine, type Reporter } from './check-text.ts';
import { ATTRIBUTE_NAME_MAX, SKU_MAX, VARIATION_AXES_MAX, VARIATION_VALUE_MAX } from './limits.ts';

/**
 * Checks that a variation has a parent, options with values, and a theme that names the same options. Planning fills
 * an empty theme and keeps the product's order of options.
 */
export function checkVariation(
  variation: Variation | null,
  reporter: Reporter,
): Variation | null | undefined {
  if (variation === null) return null;
  const { column, messages } = reporter;
  const parent_sku = checkLine(variation.parent_sku, SKU_MAX, { column: 'parent_sku', messages });
  const values = checkValues(variation.values, reporter);
  if (parent_sku === undefined || values === undefined) return undefined;
  const axes = Object.keys(values);
  if (parent_sku === '') {
    if (axes.length === 0) return null;
    messages.push(rowMessage('variation_parent_missing', { column: 'parent_sku' }));
    return undefined;
  }
  const joined = axes.join('/');
  const theme = variation.theme.trim();
  if (theme !== '' && theme !== joined && !namesSameAxes(theme, axes)) {
    messages.push(
      rowMessage('variation_theme_mismatch', { column: `${column}.theme`, value: theme, expected: joined }),
    );
    return undefined;
  }
  return { parent_sku, theme, values };
}

function checkValues(
  values: Readonly<Record<string, string>>,
  { column, messages }: Reporter,
): Record<string, string> | undefined {
  const accepted: Record<string, string> = {};
  let refused = false;
  const names = Object.keys(values);
  if (names.length > VARIATION_AXES_MAX) {
    const message = 'The variation has too many options.';
    messages.push(
      rowMessage('attribute_limit', { column, expected: `at most ${VARIATION_AXES_MAX}`, message }),
    );
    return undefined;
  }
  for (const raw of names) {
    const reporter = { column: `${column}.${raw.slice(0, ATTRIBUTE_NAME_MAX)}`, messages };
    const name = checkAttributeName(raw, reporter);
    const value = checkLine(values[raw] ?? '', VARIATION_VALUE_MAX, reporter);
    if (name === undefined || value === undefined) refused = true;
    else if (value !== '') accepted[name] = value;
  }
  return refused ? undefined : accepted;
}

/** A theme may list the options in another order than the columns. */
function namesSameAxes(theme: string, axes: readonly string[]): boolean {
  const named = theme.split('/').map((axis) => axis.trim());
  return named.toSorted().join('/') === axes.toSorted().join('/');
}
