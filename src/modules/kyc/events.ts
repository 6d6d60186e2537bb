import { defineEvent } from '../../kernel/events.ts';
import { CASE_EXAMPLE, CaseNotice, Submission } from './schemas.ts';

const {
  kyc_id: _id,
  entity_type: _type,
  waiting_on: _who,
  action: _action,
  provider: _at,
  ...shown
} = CASE_EXAMPLE;
const kyc_id = 'kyc_01j0000000000000000000000';
const example = {
  ...shown,
  kyc_id,
  items: shown.items.map(({ documents: _documents, ...item }) => item),
  days_left: null,
};
const open = { ...example, items: [], deadline: null };

export const submitted = defineEvent({
  type: 'kyc.submitted',
  summary: 'A seller has handed in its documents of identity',
  schema: Submission,
  id: 'kyc_id',
  example: {
    kyc_id,
    round: 1,
    entity_type: 'sole_trader',
    items: [
      {
        item_id: 'kyi_01j0000000000000000000000',
        code: 'identity_document',
        subject: 'owner',
        attachment_ids: ['att_01j0000000000000000000000'],
      },
    ],
  },
  marketplace: true,
  sellers: false,
});
export const moreInfoRequired = defineEvent({
  type: 'kyc.more_info_required',
  summary: 'The marketplace needs other documents of identity; all that is known to be wrong is listed',
  schema: CaseNotice,
  id: 'kyc_id',
  example,
  notification: {
    severity: 'critical',
    href: '/kyc',
    title: 'The marketplace needs other documents to verify your identity',
  },
});
export const approved = defineEvent({
  type: 'kyc.approved',
  summary: 'The marketplace has verified the identity',
  schema: CaseNotice,
  id: 'kyc_id',
  example: { ...open, status: 'approved', expires_on: '2028-08-01' },
  notification: { severity: 'info', href: '/kyc', title: 'The marketplace has verified your identity' },
});
export const rejected = defineEvent({
  type: 'kyc.rejected',
  summary: 'The marketplace could not verify the identity',
  schema: CaseNotice,
  id: 'kyc_id',
  example: { ...open, status: 'rejected' },
  notification: {
    severity: 'critical',
    href: '/kyc',
    title: 'The marketplace could not verify your identity',
  },
});
export const expiring = defineEvent({
  type: 'kyc.expiring',
  summary: 'The verification of identity ends in 30 days, or in 7',
  schema: CaseNotice,
  id: 'kyc_id',
  example: { ...open, status: 'approved', expires_on: '2028-08-01', days_left: 30 },
  notification: {
    severity: 'warning',
    href: '/kyc',
    title: 'The verification of your identity ends on {expires_on}',
  },
});

export const kycEvents = [submitted, moreInfoRequired, approved, rejected, expiring];
