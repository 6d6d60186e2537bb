/** Changes of a case that several causes share: its row, its hold on settlements, its timer. */
import { firstInstant } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { holdBySource } from '../../settlements/index.ts';
import { caseMachine } from '../domain/case-machine.ts';
import { type Asked, defaultItems } from '../domain/items.ts';
import {
  type CaseRow,
  cases,
  dropItems,
  findCase,
  type ItemRow,
  idsOf,
  items,
  itemsOf,
  readCompany,
} from '../store/cases.ts';

const DAY_MS = 86_400_000;
export const REMIND_DAYS = [30, 7] as const;
export const TIMER = 'kyc.timer';

/** The instant at which an approval ends, in milliseconds. */
export const expiryOf = (expires_on: string): number => firstInstant(expires_on);

/** Whether the case must be approved by its deadline. */
const isOpen = ({ status }: CaseRow): boolean => status !== 'approved' && status !== 'not_required';

/** When the case changes by itself next, in milliseconds; undefined: never. */
export function nextInstant(row: CaseRow, now: number): number | undefined {
  if (isOpen(row) && row.deadline !== null && !row.holding) return Date.parse(row.deadline);
  if (row.status !== 'approved' || row.expires_on === null) return undefined;
  const expiry = expiryOf(row.expires_on);
  return [...REMIND_DAYS, 0].map((days) => expiry - days * DAY_MS).find((at) => at > now) ?? expiry;
}

/** Holds or releases the settlements, where that has changed. */
async function followHold(ctx: Acting, before: CaseRow, after: CaseRow): Promise<void> {
  if (before.holding === after.holding) return;
  await holdBySource(ctx, 'kyc', after.holding ? ['kyc_required'] : []);
}

/** Writes the case. Settlements are held while it is open past its deadline. */
export async function writeCase(ctx: Acting, before: CaseRow, change: Partial<CaseRow>): Promise<CaseRow> {
  const next = { ...before, ...change };
  const holding = isOpen(next) && next.deadline !== null && ctx.now() >= Date.parse(next.deadline);
  const after = await writeVersion(cases, ctx, before, { ...change, holding });
  await followHold(ctx, before, after);
  return after;
}

/** Plans the next change that time brings. The timer itself returns it instead. */
export async function schedule(ctx: Acting, row: CaseRow): Promise<void> {
  await ctx.jobs.cancel(TIMER, ctx.seller_id);
  const dueAt = nextInstant(row, ctx.now());
  if (dueAt !== undefined) await ctx.jobs.add({ kind: TIMER, uniqueKey: ctx.seller_id, dueAt });
}

export async function addItems(ctx: Acting, row: CaseRow, asked: readonly Asked[]): Promise<ItemRow[]> {
  const { kyc_id, round } = row;
  const rows = asked.map(({ code, subject }) => ({
    item_id: ctx.ids.next('kyi_'),
    ...{ kyc_id, round, code, subject, status: 'missing' as const, reasons: [] },
  }));
  await items.appendMany(ctx, rows);
  return rows;
}

const keyOf = ({ code, subject }: Asked): string => JSON.stringify([code, subject]);

/**
 * Asks for some items instead of those of the round. An item for which the seller has sent something stays.
 *
 * @returns false if there are further items and the seller cannot hand them in now
 */
export async function askInstead(ctx: Acting, row: CaseRow, asked: readonly Asked[]): Promise<boolean> {
  const present = await itemsOf(ctx, row);
  const lacks = (list: readonly Asked[]) => (item: Asked) => !list.some((one) => keyOf(one) === keyOf(item));
  const further = asked.filter(lacks(present));
  if (further.length > 0 && !caseMachine.allows('submit', row.status)) return false;
  await addItems(ctx, row, further);
  await dropItems(ctx, idsOf(present.filter(lacks(asked))));
  return true;
}

interface Call {
  readonly entity_type: string | null;
  readonly deadline: string | null;
  readonly required_at: string | null;
  readonly asked: readonly Asked[];
}

/** The first case of a seller in the given state. @returns undefined if it has one already */
async function insertCase(
  ctx: Acting,
  call: Omit<Call, 'asked'>,
  state: Pick<CaseRow, 'status' | 'round'>,
): Promise<CaseRow | undefined> {
  const row: CaseRow = {
    kyc_id: ctx.ids.next('kyc_'),
    ...{ ...call, ...state, began_at: call.required_at },
    ...{ reasons: [], holding: false, reminded: null },
    ...{ submitted_at: null, submitted_version: null, decided_at: null, expires_on: null },
    ...firstVersion(ctx.at()),
  };
  return (await cases.insert(ctx, row)) ? row : undefined;
}

/** Remembers that a seller without a case need not verify its identity: an older call opens none. */
export const waiveCase = (ctx: Acting, required_at: string): Promise<CaseRow | undefined> =>
  insertCase(ctx, { required_at, entity_type: null, deadline: null }, { status: 'not_required', round: 0 });

/** Opens the first case of a seller. @returns undefined if it has one already */
export async function openCase(ctx: Acting, { asked, ...call }: Call): Promise<CaseRow | undefined> {
  const row = await insertCase(ctx, call, { status: 'collecting', round: 1 });
  if (row === undefined) return undefined;
  await addItems(ctx, row, asked);
  const written = await writeCase(ctx, row, {});
  await schedule(ctx, written);
  return written;
}

/** Asks a seller for the items of its legal form, unless the marketplace has said what it asks for. */
export async function askByForm(ctx: Acting): Promise<void> {
  const { entity_type } = await readCompany(ctx);
  const asked = defaultItems(entity_type);
  // Every call of the marketplace is newer than the setting.
  if ((await openCase(ctx, { entity_type, deadline: null, required_at: null, asked })) !== undefined) return;
  const row = await findCase(ctx, true);
  if (row === undefined || row.required_at !== null || !caseMachine.allows('submit', row.status)) return;
  await askInstead(ctx, row, asked);
  await writeCase(ctx, row, { entity_type });
}
