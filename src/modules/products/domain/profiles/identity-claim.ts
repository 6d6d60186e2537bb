/**
 * Identity as an export file states it. A claim is made only when it will be accepted; whatever is wrong with
 * a code becomes a finding and the product waits as a draft, except that a code which a spreadsheet has
 * rounded is an error of its row. Source: docs/design/feeds-and-imports.md#identity.
 */
import { parseGtin } from '../../../../kernel/gtin.ts';
import { isGenericBrand, isPlaceholder, statesAbsence } from '../identity/placeholders.ts';
import type { IdentityClaim, RowMessage } from '../row.ts';
import { type RowCode, rowMessage } from '../row-codes.ts';
import { stripTextMark } from './cell.ts';

/** What a row says about the identity of its product. */
export interface IdentityFacts {
  /** Codes in the order in which they are tried, each with the name of its column. */
  readonly codes: readonly { readonly value: string; readonly column: string }[];
  readonly mpn: string;
  readonly brand: string;
  /** True where `Does not apply` is the site's official way to state an exemption. */
  readonly absenceExempts: boolean;
}

export interface IdentityReading {
  /** `null` when the file gives no usable identity. */
  readonly claim: IdentityClaim | null;
  readonly messages: readonly RowMessage[];
  /** The first code that was not taken, as written. */
  readonly refusedCode: string | null;
}

/** Reads the identity of a row: the first valid code, else MPN and brand, else a stated exemption. */
export function readIdentity(facts: IdentityFacts): IdentityReading {
  const messages: RowMessage[] = [];
  const pair = usablePair(facts);
  let refusedCode: string | null = null;
  let absence: string | null = null;
  for (const { value, column } of facts.codes) {
    const code = stripTextMark(value);
    if (code === '') continue;
    if (facts.absenceExempts && statesAbsence(code)) {
      absence ??= code;
      continue;
    }
    const problem = problemOf(code, column);
    if (problem === null) {
      const mpn = pair.mpn === undefined ? {} : { mpn: pair.mpn };
      return { claim: { strategy: 'global_id', value: code, ...mpn }, messages, refusedCode };
    }
    messages.push(problem);
    refusedCode ??= code;
  }
  if (pair.mpn !== undefined && pair.brand !== undefined) {
    return { claim: { strategy: 'mpn_brand', mpn: pair.mpn, brand: pair.brand }, messages, refusedCode };
  }
  if (absence === null && facts.absenceExempts && statesAbsence(facts.mpn)) absence = facts.mpn;
  if (absence === null) return { claim: null, messages, refusedCode };
  return { claim: { strategy: 'exempt', value: absence, source: 'file' }, messages, refusedCode };
}

interface UsablePair {
  readonly mpn?: string;
  readonly brand?: string;
}

/** A number that a spreadsheet has rounded. */
const ROUNDED = /^\d(?:[.,]\d+)?e\+?\d+$/i;

function usablePair(facts: IdentityFacts): UsablePair {
  const mpn = facts.mpn !== '' && !isPlaceholder(facts.mpn) && !ROUNDED.test(facts.mpn);
  const brand = facts.brand !== '' && !isGenericBrand(facts.brand);
  return { ...(mpn ? { mpn: facts.mpn } : {}), ...(brand ? { brand: facts.brand } : {}) };
}

/** Why a code identifies nothing; `null` for a valid one. */
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
