/** Published service policies. They are the same for all sellers, and every scope may read them. */
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import type { Db } from '../../kernel/context.ts';
import { json } from '../db/columns.ts';
import { command, type Part, part, statement } from '../db/statement.ts';
import { DEFAULT_POLICY, type ServicePolicy } from './policy.ts';

const select = (tail: Part) => statement({ policy: json<ServicePolicy>('json') })`
  select policy
    from service_policy
   ${tail}`;

/**
 * The policy that is in force at an instant. Of two with the same first day, the one that was published later counts.
 *
 * @param at milliseconds
 */
export async function policyAt(db: Db, at: number): Promise<ServicePolicy> {
  const row = await db.one(
    select(part`
      where effective_from <= ${sydneyDate(at)}::date
      order by effective_from desc, published_at desc, version desc
      limit 1`),
  );
  return row?.policy ?? DEFAULT_POLICY;
}

/**
 * The policies of some versions, for clocks that began under them. A version never changes.
 *
 * @param known one that was read before
 */
export async function policiesOf(
  db: Db,
  versions: readonly string[],
  known: ServicePolicy = DEFAULT_POLICY,
): Promise<ReadonlyMap<string, ServicePolicy>> {
  const found = new Map([DEFAULT_POLICY, known].map((one) => [one.version, one]));
  const wanted = [...new Set(versions)].filter((version) => !found.has(version));
  const rows = wanted.length === 0 ? [] : await db.all(select(part`where version = any(${wanted})`));
  for (const { policy } of rows) found.set(policy.version, policy);
  return found;
}

/** Stores a policy, in the system's scope. @returns false if the version exists */
export async function insertPolicy(db: Db, policy: ServicePolicy, publishedAt: string): Promise<boolean> {
  const added = await db.run(command`
    insert into service_policy (version, effective_from, policy, published_at)
    values (${policy.version}, ${policy.effective_from}::date, ${JSON.stringify(policy)}::json, ${publishedAt})
        on conflict (version) do nothing`);
  return added === 1;
}
