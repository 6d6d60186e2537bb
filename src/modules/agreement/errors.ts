import { defineErrors } from '../../kernel/errors.ts';

export const agreementErrors = defineErrors({
  agreement_text_mismatch: {
    status: 409,
    detail:
      'The digest is not that of this version: show the seller the text of the version and send its text_sha256.',
  },
  version_superseded: {
    status: 409,
    detail: 'A newer version has replaced this one; accept the version in "current" instead.',
    facts: { current: '3' },
  },
});
