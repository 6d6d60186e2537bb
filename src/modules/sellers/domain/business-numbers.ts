/** The numbers and the name by which the business register is asked about a seller. */
import type { TaxIdCheck } from './classify-tax-id.ts';
import type { NameMatch } from './name-match.ts';

interface Stored {
  readonly business_name: string;
  readonly tax_id: string;
  readonly tax_id_check: TaxIdCheck;
  readonly business: Readonly<Record<string, unknown>>;
}
interface BusinessNumbers {
  /** Until the seller sets one, a tax identifier that is an ABN counts. */
  readonly abn: string | null;
  readonly acn: string | null;
  /** The legal name; until the seller sets one, the name of the registration counts. */
  readonly name: string;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const businessNumbers = ({
  business,
  business_name,
  tax_id,
  tax_id_check,
}: Stored): BusinessNumbers => ({
  abn: textIn(business['abn']) ?? (tax_id_check === 'abn_valid' ? tax_id : null),
  acn: textIn(business['acn']),
  name: textIn(business['legal_name']) ?? business_name,
});

export const VERDICTS = ['verified', 'mismatch', 'inactive', 'not_found', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Names with a lower score are different names. */
const SCORE_MIN = 80;

interface RegisterFacts {
  readonly status: 'found' | 'not_found' | 'not_checked' | 'unavailable';
  readonly abn_status: 'active' | 'cancelled' | null;
  readonly acn: string | null;
}

/** What the answer of the register means for a seller. Source: docs/design/standing.md#business-number. */
export function verdictOf(register: RegisterFacts, match: NameMatch | null, acn: string | null): Verdict {
  if (register.status === 'not_found') return 'not_found';
  if (register.status !== 'found') return 'unknown';
  if (register.abn_status !== 'active') return 'inactive';
  const isSame = (acn !== null && acn === register.acn) || (match?.score ?? 0) >= SCORE_MIN;
  return isSame ? 'verified' : 'mismatch';
}
