/** `marketplace.service_policy.published`: targets from a day on. Clocks that have begun keep theirs. */
import { isDeepStrictEqual } from 'node:util';
import { type BusinessCalendar, isCalendar, opens } from '../../kernel/australia/business-time.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../kernel/events.ts';
import { insertPolicy, policiesOf } from './policies.ts';
import { DEFAULT_POLICY, PolicyData, type ServicePolicy } from './policy.ts';

/** @throws IntakeRejection `data_invalid` */
function requireOpening(place: string, calendar: BusinessCalendar, from: string): void {
  if (!isCalendar(calendar))
    throw new IntakeRejection(
      'data_invalid',
      `${place}/weekly: the hours of a day overlap or are not in order`,
    );
  if (!opens(calendar, from))
    throw new IntakeRejection('data_invalid', `${place} has no open minute within 400 days`);
}

async function applyPublished(
  { db }: IntakeCtx,
  { data, subject, time }: MarketplaceEvent<ServicePolicy>,
): Promise<IntakeOutcome> {
  const { version, effective_from, messages, tickets } = data;
  if (subject !== null && subject !== version)
    throw new IntakeRejection('data_invalid', 'subject and data/version name different versions');
  requireOpening('data/messages/calendar', messages.calendar, effective_from);
  requireOpening('data/tickets/calendar', tickets.calendar, effective_from);
  if (version !== DEFAULT_POLICY.version && (await insertPolicy(db, data, time)))
    return { status: 'applied' };
  const known = (await policiesOf(db, [version])).get(version);
  if (isDeepStrictEqual(known, JSON.parse(JSON.stringify(data)))) return { status: 'stale' };
  throw new IntakeRejection(
    'version_reused',
    `The version ${version} was published before with other targets.`,
  );
}

export const policyPublished = defineMarketplaceEvent({
  type: 'marketplace.service_policy.published',
  summary: 'Targets for answers and tickets from a day on; a clock keeps the version under which it began',
  subject: 'policy version',
  schema: PolicyData,
  example: { ...DEFAULT_POLICY, version: '2026-1', effective_from: '2026-08-01' },
  example_subject: '2026-1',
  apply: applyPublished,
});
