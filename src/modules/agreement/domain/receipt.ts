/** Proof of an acceptance that anybody can check without the service: canonical JSON, and its SHA-256. */
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256Hex } from '../../../kernel/digest.ts';

interface ReceiptFields {
  readonly aal: string;
  readonly accepted_at: string;
  readonly member_id: string;
  readonly seller_id: string;
  readonly statement: string;
  readonly tax_id: string;
  readonly text_sha256: string;
  readonly version: string;
}

/** What an owner declares. */
export const statementFor = (businessName: string): string => `I accept these terms for ${businessName}.`;

/** The keys are sorted, and there are no blanks between them. */
export function makeReceipt(fields: ReceiptFields): {
  readonly receipt: string;
  readonly receipt_sha256: string;
} {
  const receipt = canonicalJson(fields);
  return { receipt, receipt_sha256: sha256Hex(receipt) };
}
