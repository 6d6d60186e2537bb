import Type, { type Static } from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { Instant, Nullable } from '../../kernel/schema.ts';
import { ACCEPTANCE_EXAMPLE, Acceptance, VERSION_EXAMPLE, versionFields } from './schemas.ts';
import type { AgreementVersion } from './store/versions.ts';

const Duty = Type.Object(
  {
    ...versionFields,
    due_at: Nullable(Instant({ description: 'By when an owner must accept it; null: nothing is due' })),
    days_left: Nullable(
      Type.Integer({ description: 'Days until then, for a reminder; null: this is not a reminder' }),
    ),
  },
  { title: 'AgreementDuty', description: 'What a version of the terms asks of the seller.' },
);

const { reacceptance_by: _by, summary_of_changes: _changes, published_at: _at, ...named } = VERSION_EXAMPLE;
const example: Static<typeof Duty> = { ...named, due_at: '2026-09-01T14:00:00.000Z', days_left: null };

const versionPublished = defineEvent({
  type: 'agreement.version_published',
  summary: 'The marketplace has published a version of its terms',
  schema: Duty,
  example,
  notification: {
    severity: 'info',
    href: '/seller-agreement',
    title: 'The marketplace has published {title}, version {version}',
  },
});

const acceptanceDue = defineEvent({
  type: 'agreement.acceptance_due',
  summary: 'An owner must accept the terms within 14 days, or within one',
  schema: Duty,
  example: { ...example, days_left: 14 },
  notification: {
    severity: 'warning',
    href: '/seller-agreement',
    critical: { days_left: 1 },
    title: 'An owner must accept {title}, version {version}, before {due_at}',
  },
});

const overdue = defineEvent({
  type: 'agreement.overdue',
  summary: 'No owner has accepted the terms in time: products can be neither added nor activated',
  schema: Duty,
  example: { ...example, days_left: 0 },
  notification: {
    severity: 'critical',
    href: '/seller-agreement',
    title:
      'Products can be neither added nor activated until an owner accepts {title}, version {version}: it was due on {due_at}',
  },
});

export const accepted = defineEvent({
  type: 'agreement.accepted',
  summary: 'An owner has accepted a version of the terms',
  schema: Acceptance,
  example: ACCEPTANCE_EXAMPLE,
  marketplace: true,
});

export const agreementEvents = [versionPublished, acceptanceDue, overdue, accepted];

const dutyOf = (
  { version, title, text_sha256, url, effective_on }: AgreementVersion,
  due: number | null,
  days_left: number | null,
) => ({
  ...{ version, title, text_sha256, url, effective_on },
  due_at: due === null ? null : new Date(due).toISOString(),
  days_left,
});
/** An event is about the version; its object never changes. */
const about = ({ version }: AgreementVersion) => ({ object_id: version, version: 1 });

export const publishedEvent = (version: AgreementVersion, due: number | null) =>
  versionPublished.of(dutyOf(version, due, null), about(version));

/** @param daysLeft 0 from the due date on */
export const reminderEvent = (version: AgreementVersion, due: number, daysLeft: number) =>
  (daysLeft === 0 ? overdue : acceptanceDue).of(dutyOf(version, due, daysLeft), about(version));
