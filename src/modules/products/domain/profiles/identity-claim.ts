/**
 * Reads the identity of a product from an export file. An invalid code is reported and not claimed, so the product
 * stays a draft. A code that a spreadsheet has rounded is an error of the row.
 * Source: docs/design/feeds-and-imports.md#identity.
 */
import { parseGtin } from '../../../../kernel/gtin.ts';
import { isGenericBrand, isPlaceholder, statesAbsence } from '../identity/placeholders.ts';
import type { IdentityClaim, RowMessage } from '../row.ts';
import { type RowCode, rowMessage } from '../row-codes.ts';
import { isRoundedNumber, stripTextMark } from './cell.ts';

interface IdentityFacts {
  /** The codes, with the names of their columns. The first valid one is used. */
  readonly codes: readonly { readonly value: string; readonly column: string }[];
  readonly mpn: string;
  readonly brand: string;
  /** Whether `Does not apply` means an exemption. Some sites prescribe this text. */
  readonly absenceIsExemption: boolean;
}

interface IdentityReading {
  /** `null` when the file states no usable identity. */
  readonly claim: IdentityClaim | null;
  /** The text of the first invalid code. */
  readonly refusedCode: string | null;
}

/** Reads the identity of a row: the first valid code, else MPN and brand, else a stated exemption. */
export function readIdentity(facts: IdentityFacts, messages: RowMessage[]): IdentityReading {
  const pair = usablePair(facts);
  let refusedCode: string | null = null;
  let absence: string | null = null;
  for (const { value, column } of facts.codes) {
    const code = stripTextMark(value);
    if (code === '') continue;
    if (facts.absenceIsExemption && statesAbsence(code)) {
      absence ??= code;
      continue;
    }
    const problem = problemOf(code, column);
    if (problem === null) {
      const mpn = pair.mpn === undefined ? {} : { mpn: pair.mpn };
      return { claim: { strategy: 'global_id', value: code, ...mpn }, refusedCode };
    }
    messages.push(problem);
    refusedCode ??= code;
  }
  if (pair.mpn !== undefined && pair.brand !== undefined) {
    return { claim: { strategy: 'mpn_brand', mpn: pair.mpn, brand: pair.brand }, refusedCode };
  }
  if (absence === null && facts.absenceIsExemption && statesAbsence(facts.mpn)) absence = facts.mpn;
  if (absence === null) return { claim: null, refusedCode };
  return { claim: { strategy: 'exempt', value: absence, source: 'file' }, refusedCode };
}

interface UsablePair {
  readonly mpn?: string;
  readonly brand?: string;
}

function usablePair(facts: IdentityFacts): UsablePair {
  const mpn = facts.mpn !== '' && !isPlaceholder(facts.mpn) && !isRoundedNumber(facts.mpn);
  const brand = facts.brand !== '' && !isGenericBrand(facts.brand);
  return { ...(mpn ? { mpn: facts.mpn } : {}), ...(brand ? { brand: facts.brand } : {}) };
}

/** Why a code is invalid; `null` for a valid code. */
function problemOf(value: string, column: string): RowMessage | null {
  if (isPlaceholder(value)) return notTaken('gtin_placeholder', value, column);
  const read = parseGtin(value);
  if (read.ok) return null;
  if (read.code === 'gtin_scientific_notation') return rowMessage(read.code, { column, value });
  return notTaken(read.code, value, column, read.suggestion ?? read.expected);
}

function notTaken(
  reason: RowCode,
  value: string,
  column: string,
  expected: string | null = null,
): RowMessage {
  return rowMessage('gtin_not_taken', {
    column,
    value,
    expected: expected ?? undefined,
    message: `The barcode is not a valid global id (${reason}) and was kept as text only.`,
  });
}
