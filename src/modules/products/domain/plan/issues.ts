import type { ProductContent, ProductIssue } from '../product.ts';
import type { RowMessage } from '../row.ts';
import { ROW_CODES, type RowCode } from '../row-codes.ts';
import { sameIssues } from './equality.ts';

const ISSUES_MAX = 20;

interface Requirement {
  readonly key: 'seller_sku' | 'title' | 'price_minor' | 'identity';
  readonly code: 'sku_required' | 'required_missing' | 'identity_required';
  readonly message: string;
}

/** The requirements of an active product (docs/design/feeds-and-imports.md#products). */
const REQUIREMENTS: readonly Requirement[] = [
  { key: 'seller_sku', code: 'sku_required', message: ROW_CODES.sku_required.message },
  { key: 'title', code: 'required_missing', message: 'The title is required.' },
  { key: 'price_minor', code: 'required_missing', message: 'The price is required.' },
  { key: 'identity', code: 'identity_required', message: ROW_CODES.identity_required.message },
];

/** These findings are no issues of the product: the row's value was replaced, or a requirement says the same. */
const ROW_ONLY_CODES: ReadonlySet<string> = new Set<RowCode>([
  'stock_negative',
  'price_below_minimum',
  'sku_duplicate',
  'sku_duplicate_in_file',
]);

export function missingRequirements(product: ProductContent): readonly Requirement[] {
  return REQUIREMENTS.filter(({ key }) => product[key] === null);
}

/** What a product lacks for the status that it has. One that is off sale needs its SKU only, so that it can be found. */
export function missingForStatus(product: ProductContent): readonly Requirement[] {
  if (product.status === 'active') return missingRequirements(product);
  return product.status === 'inactive'
    ? missingRequirements(product).filter(({ key }) => key === 'seller_sku')
    : [];
}

/**
 * The issues of a draft after a row: the missing requirements, and the findings of the import that staged it.
 *
 * @param staged findings of a row that stages the product; `null` for every other row
 */
export function issuesAfter(
  product: ProductContent,
  staged: readonly RowMessage[] | null,
): readonly ProductIssue[] {
  if (product.status !== 'draft') return product.issues.length === 0 ? product.issues : [];
  const missing = missingRequirements(product).map(
    ({ key, code, message }): ProductIssue => ({ code, severity: 'error', attribute: key, message }),
  );
  const found = (staged?.map(toIssue) ?? product.issues).filter(
    ({ severity, code }) => severity !== 'info' && !isRequirement(code) && !ROW_ONLY_CODES.has(code),
  );
  const issues = [...missing, ...found.slice(0, ISSUES_MAX - missing.length)];
  return sameIssues(product.issues, issues) ? product.issues : issues;
}

function isRequirement(code: string): boolean {
  return REQUIREMENTS.some((requirement) => requirement.code === code);
}

function toIssue(message: RowMessage): ProductIssue {
  return {
    code: message.code,
    severity: message.severity,
    attribute: message.column ?? null,
    message: message.message,
  };
}
