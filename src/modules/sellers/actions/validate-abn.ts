/**
 * Three truths about an ABN, never merged: its form, its checksum, and what the register says. What has not
 * been asked is `not_checked`, an outage is `unavailable`; neither means invalid.
 * Source: docs/design/feeds-and-imports.md#business-numbers.
 */
import { checkAbn } from '../../../kernel/australia/abn.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Ctx, SellerCtx } from '../../../kernel/context.ts';
import type { WithServices } from '../../../platform/services.ts';
import { askRegister } from '../adapters/ask-register.ts';
import type { RegisterEntry } from '../adapters/parse-answer.ts';
import { bestNameMatch, type NameMatch } from '../domain/name-match.ts';
import { readAnswer, type StoredAnswer, storeAnswer } from '../store/abn-answers.ts';
import { findSeller } from '../store/seller-row.ts';

/** Name of the source in answers. */
const SOURCE = 'abr';

export interface RegisterView {
  readonly status: 'found' | 'not_found' | 'not_checked' | 'unavailable';
  readonly entity_name: string | null;
  readonly entity_type: string | null;
  readonly entity_type_code: string | null;
  readonly business_names: readonly string[];
  readonly abn_status: 'active' | 'cancelled' | null;
  readonly effective_from: string | null;
  /** Null: not known. */
  readonly gst_registered: boolean | null;
  readonly gst_from: string | null;
  readonly acn: string | null;
  readonly state: string | null;
  readonly postcode: string | null;
  readonly replaced_by: string | null;
  readonly checked_at: string | null;
  readonly source: string | null;
}

export interface AbnValidation {
  readonly abn: string;
  readonly normalised: string;
  readonly format_valid: boolean;
  readonly checksum_valid: boolean;
  readonly acn: string | null;
  readonly hint: 'acn_given' | null;
  readonly register: RegisterView;
  readonly name_match: NameMatch | null;
}

const NOTHING_KNOWN: Omit<RegisterView, 'status'> = {
  entity_name: null,
  entity_type: null,
  entity_type_code: null,
  business_names: [],
  abn_status: null,
  effective_from: null,
  gst_registered: null,
  gst_from: null,
  acn: null,
  state: null,
  postcode: null,
  replaced_by: null,
  checked_at: null,
  source: null,
};

type Context = Ctx & WithServices;

/** The cached answer, else the register's own; undefined when it did not answer. */
async function lookUp(ctx: Context, abn: string): Promise<StoredAnswer | undefined> {
  const { config, withSystem } = ctx.services;
  const cached = await withSystem('abn-register-cache', 'read', (db) => readAnswer(db, abn, ctx.now()));
  if (cached !== undefined) return cached;
  const answer = await askRegister({ baseUrl: config.ABR_BASE_URL, guid: config.ABR_GUID }, abn, ctx.log);
  if (answer.status === 'unavailable') return undefined;
  const stored = { answer, checked_at: new Date(ctx.now()).toISOString() };
  await withSystem('abn-register-cache', 'read', (db) => storeAnswer(db, abn, stored));
  return stored;
}

function foundView(
  asked: string,
  entry: RegisterEntry,
  today: string,
): Omit<RegisterView, 'status' | 'checked_at' | 'source'> {
  const { abn, ...known } = entry;
  return {
    ...known,
    // A date, not a flag: before it the registration has not begun.
    gst_registered: entry.gst_from !== null && entry.gst_from <= today,
    replaced_by: abn === asked ? null : abn,
  };
}

function registerView(asked: string, stored: StoredAnswer, today: string): RegisterView {
  const { answer, checked_at } = stored;
  const known = answer.status === 'found' ? foundView(asked, answer.entry, today) : {};
  return { ...NOTHING_KNOWN, ...known, status: answer.status, checked_at, source: SOURCE };
}

/** Asks the register where that makes sense: a wrong checksum is never worth asking. */
async function askAbout(ctx: Context, abn: string, checksumValid: boolean): Promise<RegisterView> {
  if (!checksumValid || ctx.services.config.ABR_GUID === undefined)
    return { ...NOTHING_KNOWN, status: 'not_checked' };
  const stored = await lookUp(ctx, abn);
  if (stored === undefined) return { ...NOTHING_KNOWN, status: 'unavailable', source: SOURCE };
  return registerView(abn, stored, sydneyDate(ctx.now()));
}

/** Checks a business number as the client sent it, and compares the names in the register with the seller’s. */
export async function validateAbn(ctx: SellerCtx & WithServices, abn: string): Promise<AbnValidation> {
  const check = checkAbn(abn);
  const register = await askAbout(ctx, check.normalised, check.checksum_valid);
  const names = [register.entity_name, ...register.business_names].filter((name) => name !== null);
  const seller =
    names.length === 0
      ? undefined
      : await ctx.transaction('read', (db) => findSeller({ db, seller_id: ctx.seller_id }));
  const match = seller === undefined ? undefined : bestNameMatch(seller.business_name, names);
  return { abn, ...check, register, name_match: match ?? null };
}
