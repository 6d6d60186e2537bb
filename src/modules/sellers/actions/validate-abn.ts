/**
 * Checks an ABN in three ways and reports each result: its form, its checksum, and the register's answer. If the
 * register was not asked, the result is `not_checked`. If it did not answer, the result is `unavailable`. Neither
 * means invalid.
 * Source: docs/design/feeds-and-imports.md#business-numbers.
 */
import { checkAbn } from '../../../kernel/australia/abn.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Ctx } from '../../../kernel/context.ts';
import type { HandlerCtx, WithServices } from '../../../platform/services.ts';
import { askRegister } from '../adapters/ask-register.ts';
import type { RegisterEntry } from '../adapters/parse-answer.ts';
import { bestNameMatch, type NameMatch } from '../domain/name-match.ts';
import type { RegisterView } from '../schemas/register.ts';
import { sellerSettings } from '../settings.ts';
import { readAnswer, type StoredAnswer, storeAnswer } from '../store/abn-answers.ts';
import { findSeller } from '../store/seller-row.ts';

/** The name of the source in answers. */
const SOURCE = 'abr';

interface AbnValidation {
  readonly abn: string;
  readonly normalised: string;
  readonly format_valid: boolean;
  readonly checksum_valid: boolean;
  readonly acn: string | null;
  readonly hint: 'acn_given' | null;
  readonly register: RegisterView;
  readonly name_match: NameMatch | null;
}

export const NOTHING_KNOWN: Omit<RegisterView, 'status'> = {
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

type Context = Pick<Ctx, 'now' | 'log'> & WithServices;

/**
 * The cached answer, or else a new answer of the register; undefined if it did not answer.
 *
 * @param anew whether to ask although an answer is cached
 */
async function lookUp(ctx: Context, abn: string, anew: boolean): Promise<StoredAnswer | undefined> {
  const { config, withSystem } = ctx.services;
  const { ABR_BASE_URL: baseUrl, ABR_GUID: guid } = sellerSettings.of(config);
  const cached = anew
    ? undefined
    : await withSystem('abn-register-cache', 'read', (db) => readAnswer(db, abn, ctx.now()));
  if (cached !== undefined) return cached;
  const answer = await askRegister({ baseUrl, guid }, abn, ctx.log);
  if (answer.status === 'unavailable') return undefined;
  const stored = { answer, checked_at: new Date(ctx.now()).toISOString() };
  await withSystem('abn-register-cache', 'single', (db) => storeAnswer(db, abn, stored));
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
    business_names: [...entry.business_names],
    // The register states a date. The registration has not begun before it.
    gst_registered: entry.gst_from !== null && entry.gst_from <= today,
    replaced_by: abn === asked ? null : abn,
  };
}

function registerView(asked: string, stored: StoredAnswer, today: string): RegisterView {
  const { answer, checked_at } = stored;
  const known = answer.status === 'found' ? foundView(asked, answer.entry, today) : {};
  return { ...NOTHING_KNOWN, ...known, status: answer.status, checked_at, source: SOURCE };
}

/** Asks the register, unless the checksum is wrong. */
export async function askAbout(
  ctx: Context,
  abn: string,
  checksumValid: boolean,
  anew = false,
): Promise<RegisterView> {
  if (!checksumValid || sellerSettings.of(ctx.services.config).ABR_GUID === undefined)
    return { ...NOTHING_KNOWN, status: 'not_checked' };
  const stored = await lookUp(ctx, abn, anew);
  if (stored === undefined) return { ...NOTHING_KNOWN, status: 'unavailable', source: SOURCE };
  return registerView(abn, stored, sydneyDate(ctx.now()));
}

/** The names that the register states. */
export const namesIn = ({ entity_name, business_names }: RegisterView): string[] =>
  [entity_name, ...business_names].filter((name) => name !== null);

/** Checks a business number, and compares the names in the register with the seller’s name. */
export async function validateAbn(ctx: HandlerCtx, abn: string): Promise<AbnValidation> {
  const check = checkAbn(abn);
  const register = await askAbout(ctx, check.normalised, check.checksum_valid);
  const names = namesIn(register);
  const seller =
    names.length === 0
      ? undefined
      : await ctx.transaction('read', (db) => findSeller({ db, seller_id: ctx.seller_id }));
  const match = seller === undefined ? undefined : bestNameMatch(seller.business_name, names);
  return { abn, ...check, register, name_match: match ?? null };
}
