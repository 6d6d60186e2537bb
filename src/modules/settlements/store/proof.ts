/** What the proof of a settlement is made of, each read from where it was first written. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PayoutStatus } from '../domain/payout-status.ts';
import { SEAL } from './lines.ts';

const LINES =
  'settlement_line l join v_ledger_entry e on e.seller_id = l.seller_id and e.entry_id = l.entry_id ' +
  'where l.seller_id = $1 and l.settlement_id = $2';

/** Orders of a settlement; what is tied to none stands under an empty id. Amounts from the seller's side. */
export interface ProofOrder {
  readonly order_id: string;
  readonly amount_minor: bigint;
  readonly line_count: number;
}

const ORDERS =
  "select coalesce(e.order_id, '') as order_id, (-sum(e.amount_minor))::bigint as amount_minor, count(*)::int as line_count " +
  `from ${LINES} and coalesce(e.order_id, '') > $3 group by 1 order by 1 limit $4::int`;
const UNTIED =
  "select '' as order_id, (-sum(e.amount_minor))::bigint as amount_minor, count(*)::int as line_count " +
  `from ${LINES} and e.order_id is null having count(*) > 0`;

/** One page of orders and one beyond it, by id; the first page begins with what is tied to no order. */
export async function proofOrders(
  db: Db,
  sellerId: string,
  settlementId: string,
  after: string | undefined,
  limit: number,
): Promise<ProofOrder[]> {
  const untied = after === undefined ? await db.all<ProofOrder>(sql(UNTIED, [sellerId, settlementId])) : [];
  const tied = await db.all<ProofOrder>(sql(ORDERS, [sellerId, settlementId, after ?? '', limit + 1]));
  return [...untied, ...tied];
}

export interface ProofEntry {
  readonly transaction_id: string;
  readonly journal_id: string;
  readonly order_id: string;
  readonly order_line_id: string | null;
  readonly row_no: number;
  readonly type: string;
  readonly amount_minor: bigint;
}

const ENTRIES =
  "select e.entry_id as transaction_id, e.journal_id, coalesce(e.order_id, '') as order_id, e.order_line_id, l.row_no, e.type, " +
  `-e.amount_minor as amount_minor from ${LINES} and coalesce(e.order_id, '') = any($3::text[]) order by l.row_no`;

/** The lines of some orders, in the order of the statement. */
export function proofEntries(
  db: Db,
  sellerId: string,
  settlementId: string,
  orderIds: readonly string[],
): Promise<ProofEntry[]> {
  return db.all<ProofEntry>(sql(ENTRIES, [sellerId, settlementId, orderIds]));
}

/** What the ledger and the payouts say of a settlement. */
export interface ProofFacts {
  /** What the period before carried out; zero of the first. */
  readonly carried_in_minor: bigint;
  /** What left the statement when the settlement was closed. */
  readonly posted_payout_minor: bigint;
  readonly payouts: readonly {
    readonly payout_id: string;
    readonly attempt: number;
    readonly status: PayoutStatus;
    readonly amount_minor: number;
    /** What the ledger has of it as on its way, and as taken from the provider. */
    readonly in_transit_minor: number;
    readonly paid_minor: number;
  }[];
  /** A journal of one of its lines that does not balance: the first one, and what it is out by. */
  readonly unbalanced_journal: string | null;
  readonly unbalanced_minor: bigint | null;
}

/** By the keys of its journals, so that no journal is looked for. */
const POSTED = (account: string) =>
  '(select coalesce(-sum(e.amount_minor), 0) from v_ledger_journal j join v_ledger_entry e on e.seller_id = j.seller_id ' +
  "and e.journal_id = j.journal_id where j.seller_id = $1 and j.idempotency_key in ('payout_sent:' || p.payout_id, " +
  "'payout_paid:' || p.payout_id, 'payout_failed:' || p.payout_id, 'payout_returned:' || p.payout_id) " +
  `and e.account = '${account}')`;
const FACTS =
  'select coalesce((select b.closing_balance_minor from settlement b where b.seller_id = $1 and b.currency = s.currency ' +
  'and b.period_start < s.period_start order by b.period_start desc limit 1), 0) as carried_in_minor, ' +
  '(select coalesce(-sum(e.amount_minor), 0)::bigint from v_ledger_journal j join v_ledger_entry e on e.seller_id = j.seller_id ' +
  "and e.journal_id = j.journal_id where j.seller_id = $1 and j.idempotency_key = 'settlement_closed:' || s.settlement_id " +
  "and e.account = 'seller_settled') as posted_payout_minor, " +
  "(select coalesce(json_agg(json_build_object('payout_id', p.payout_id, 'attempt', p.attempt, 'status', p.status, " +
  `'amount_minor', p.amount_minor, 'in_transit_minor', ${POSTED('seller_in_transit')}, ` +
  `'paid_minor', ${POSTED('provider_clearing')}) order by p.attempt), '[]') from v_payouts_payout p where p.seller_id = $1 and p.settlement_id = s.settlement_id) as payouts, ` +
  'u.journal_id as unbalanced_journal, u.amount as unbalanced_minor from settlement s left join lateral (' +
  'select a.journal_id, sum(a.amount_minor)::bigint as amount from v_ledger_entry a where a.seller_id = $1 and a.journal_id in (' +
  `select e.journal_id from ${LINES}) group by a.journal_id, a.currency having sum(a.amount_minor) <> 0 order by 1 limit 1) u on true ` +
  'where s.seller_id = $1 and s.settlement_id = $2';

export async function proofFacts(db: Db, sellerId: string, settlementId: string): Promise<ProofFacts> {
  const row = await db.one<ProofFacts>(sql(FACTS, [sellerId, settlementId]));
  if (row === undefined) throw new Error(`settlement ${settlementId} is gone`);
  return row;
}

/** Lines that are not what was settled: changed or gone, come since, or left out of the period that is theirs. */
const SUSPECTS =
  "select l.entry_id, 'changed' as problem, e.order_id, l.row_no, e.type, -e.amount_minor as amount, e.position from settlement_line l " +
  `left join lateral (select x.*, ${SEAL} as seal from v_ledger_entry x where x.seller_id = l.seller_id and x.entry_id = l.entry_id) e on true ` +
  'where l.seller_id = $1 and l.settlement_id = $2 and (e.entry_id is null or (l.seal is not null and e.seal is distinct from l.seal)) union all ' +
  "select l.entry_id, 'added', e.order_id, l.row_no, e.type, -e.amount_minor, e.position from settlement s " +
  'join settlement_line l on l.seller_id = s.seller_id and l.settlement_id = s.settlement_id ' +
  'join v_ledger_entry e on e.seller_id = l.seller_id and e.entry_id = l.entry_id ' +
  'where s.seller_id = $1 and s.settlement_id = $2 and (e.position > s.ledger_position or e.available_on > s.period_end ' +
  'or e.currency <> s.currency) union all ' +
  "select e.entry_id, 'missing', e.order_id, null, e.type, -e.amount_minor, e.position from settlement s " +
  'join v_ledger_entry e on e.seller_id = s.seller_id and e.currency = s.currency and e.bucket is not null ' +
  'and e.available_on between s.period_start and s.period_end where s.seller_id = $1 and s.settlement_id = $2 ' +
  'and not exists (select from settlement_line l where l.seller_id = e.seller_id and l.entry_id = e.entry_id and l.settlement_id = $2)';
const FIRST_SUSPECT =
  'select entry_id, problem, order_id, row_no, type, amount, (count(*) over ())::int as count ' +
  `from (${SUSPECTS}) s order by row_no nulls last, position limit 1`;

export interface SuspectRow {
  readonly entry_id: string;
  readonly problem: 'changed' | 'added' | 'missing';
  readonly order_id: string | null;
  readonly row_no: number | null;
  readonly type: string | null;
  readonly amount: bigint | null;
  readonly count: number;
}

/** The first line of the statement that is not what was settled, and how many are not. */
export function firstSuspect(
  db: Db,
  sellerId: string,
  settlementId: string,
): Promise<SuspectRow | undefined> {
  return db.one<SuspectRow>(sql(FIRST_SUSPECT, [sellerId, settlementId]));
}
