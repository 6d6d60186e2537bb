/** Reads the activity log as it is stored, for tests of what requests leave there. */
import type { TestApp, TestSeller } from './app.ts';
import { runOn } from './test-server.ts';

export interface StoredEntry {
  readonly seller_id: string;
  readonly audit_id: string;
  readonly at: Date;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly roles: readonly string[] | null;
  readonly aal: string | null;
  readonly action: string;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly result: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly changed_fields: readonly string[] | null;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly request_id: string | null;
  readonly ip_prefix: string | null;
  readonly user_agent_family: string | null;
  readonly seq: number | null;
  readonly prev_hash: string | null;
  readonly hash: string | null;
}

/** Runs a statement as the owner of the database. */
export const asOwner = <Row extends object>(
  app: TestApp,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows as Row[]);

/** The entries of one request. */
export const entriesOf = (app: TestApp, requestId: string): Promise<StoredEntry[]> =>
  asOwner(app, 'select * from audit_entry where request_id = $1 order by audit_id', [requestId]);

/** The entries of a seller, the oldest first. */
export const logOf = (app: TestApp, { seller_id }: Pick<TestSeller, 'seller_id'>): Promise<StoredEntry[]> =>
  asOwner(app, 'select * from audit_entry where seller_id = $1 order by audit_id', [seller_id]);

/** The id of an entry of a seller, for the tests of every route. */
export async function auditObjects({ call }: TestSeller): Promise<Record<string, string>> {
  const { body } = await call<{ data: { audit_id: string }[] }>('GET', '/audit/entries?limit=1');
  return { audit_id: body.data[0]?.audit_id ?? '' };
}
