import type { ProductContent, ProductIssue } from '../product.ts';
import type { RowMessage } from '../row.ts';
import { ROW_CODES, type RowCode } from '../row-codes.ts';
import { sameIssues } from './same.ts';

const ISSUES_MAX = 20;

interface Requirement {
  readonly key: 'seller_sku' | 'title' | 'price_minor' | 'identity';
  readonly code: RowCode;
}

/** Findings about the row that are no issues of the product: the cell was replaced, or the product shows it. */
const OF_THE_ROW: ReadonlySet<string> = new Set<RowCode>(['stock_negative', 'sku_duplicate_in_file']);

/** The requirements of an active product (docs/design/feeds-and-imports.md#products). */
const REQUIREMENTS: readonly Requirement[] = [
  { key: 'seller_sku', code: 'sku_required' },
  { key: 'title', code: 'required_missing' },
  { key: 'price_minor', code: 'required_missing' },
  { key: 'identity', code: 'identity_required' },
];

const ISSUES: readonly ProductIssue[] = REQUIREMENTS.map(({ key, code }) => ({
  code,
  severity: 'error',
  attribute: key,
  message: ROW_CODES[code].message,
}));
const DERIVED: ReadonlySet<string> = new Set(ISSUES.map(({ code, attribute }) => `${code} ${attribute}`));

export function missingRequirements(product: ProductContent): readonly Requirement[] {
  if (isComplete(product)) return [];
  return REQUIREMENTS.filter(({ key }) => product[key] === null);
}

/**
 * The issues of a draft after a row: the requirements that it does not meet, and the findings of the import that
 * staged it.
 *
 * @param staged findings of a row that stages the product; `null` for every other row
 */
export function issuesAfter(
  product: ProductContent,
  staged: readonly RowMessage[] | null,
): readonly ProductIssue[] {
  if (product.status !== 'draft') return product.issues.length === 0 ? product.issues : [];
  const issues = ISSUES.filter((_issue, index) => {
    const key = REQUIREMENTS[index]?.key;
    return key !== undefined && product[key] === null;
  });
  const found = staged === null ? product.issues.filter((issue) => !isDerived(issue)) : staged.map(toIssue);
  for (const issue of found) {
    // Unmet requirements are in the list already.
    if (issue.severity === 'info' || isRequirement(issue.code) || OF_THE_ROW.has(issue.code)) continue;
    if (issues.length < ISSUES_MAX) issues.push(issue);
  }
  return sameIssues(product.issues, issues) ? product.issues : issues;
}

function isComplete(product: ProductContent): boolean {
  return (
    product.seller_sku !== null &&
    product.title !== null &&
    product.price_minor !== null &&
    product.identity !== null
  );
}

function isDerived(issue: ProductIssue): boolean {
  return DERIVED.has(`${issue.code} ${issue.attribute}`);
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
