import { parseGtin } from '../../../../kernel/gtin.ts';
import type { StoredIdentity } from '../product.ts';
import type { IdentityClaim, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { IdentityContext } from './identity-context.ts';
import { isPlaceholder } from './placeholders.ts';
import { storedIdentity } from './stored-identity.ts';

/** Reads the code of a `global_id` claim. A wrong code is reported and never corrected. */
export function resolveGlobalId(
  claim: IdentityClaim,
  context: IdentityContext,
  messages: RowMessage[],
): StoredIdentity | null {
  const value = claim.value ?? '';
  const column = context.columns.value;
  if (value === '') {
    messages.push(rowMessage('required_missing', { column }));
    return null;
  }
  if (isPlaceholder(value)) {
    messages.push(rowMessage('gtin_placeholder', { column, value }));
    return null;
  }
  const read = parseGtin(value, { scheme: claim.scheme, wholesale: context.wholesale });
  if (!read.ok) {
    messages.push(
      rowMessage(read.code, {
        column,
        value,
        expected: read.suggestion ?? read.expected ?? undefined,
        ...(read.suggestion === null ? {} : { hint: suggestionHint(read.suggestion) }),
      }),
    );
    return null;
  }
  if (read.warning !== null) messages.push(rowMessage(read.warning, { column, value }));
  return storedIdentity({
    strategy: 'global_id',
    gtin14: read.gtin14,
    value_entered: value,
    scheme: read.scheme,
    mpn: claim.mpn ?? null,
  });
}

function suggestionHint(suggestion: string): string {
  return (
    `A spreadsheet may have removed leading zeros: ${suggestion} is a valid code. ` +
    'If the package shows this code, send it as text.'
  );
}
