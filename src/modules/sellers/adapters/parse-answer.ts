/**
 * Reads the answer of the Australian Business Register's JSON service to `AbnDetails`. The answer is always JSONP with
 * status 200; `Message` says whether something went wrong.
 * Source: docs/design/feeds-and-imports.md#business-numbers.
 */
import { checkAbn } from '../../../kernel/australia/abn.ts';
import { storable } from '../../../kernel/storable-text.ts';

export interface RegisterEntry {
  /** The number in the answer. It differs from the requested one if that was replaced. */
  readonly abn: string;
  readonly acn: string | null;
  readonly abn_status: 'active' | 'cancelled' | null;
  /** Dates, YYYY-MM-DD. */
  readonly effective_from: string | null;
  readonly entity_name: string | null;
  readonly entity_type: string | null;
  readonly entity_type_code: string | null;
  readonly business_names: readonly string[];
  /** The first day of the GST registration; null if not registered. */
  readonly gst_from: string | null;
  readonly state: string | null;
  readonly postcode: string | null;
}

export type RegisterAnswer =
  | { readonly status: 'found'; readonly entry: RegisterEntry }
  | { readonly status: 'not_found' }
  /** Nothing is known about the number, so it may be valid. */
  | { readonly status: 'unavailable'; readonly reason: string };

/** The register's message for an unknown number. Any other message is a fault of the register. */
const NOT_FOUND = /no (matching )?records? (was |were )?found|not a valid abn|abn not found/i;
const NAMES_MAX = 200;

type Fields = Readonly<Record<string, unknown>>;

/** The text around the object: `callback(` and `)` or `);`, or nothing. */
function isWrapping(before: string, after: string): boolean {
  if (before === '') return after === '' || after === ';';
  return /^[\w$.]{1,100}\($/.test(before) && /^\);?$/.test(after);
}

/** The object inside `callback({…})`. Plain JSON is accepted as well. */
function unwrap(body: string): Fields | undefined {
  const start = body.indexOf('{');
  const end = body.lastIndexOf('}');
  if (start === -1 || end < start) return undefined;
  const [before, after] = [body.slice(0, start), body.slice(end + 1)].map((part) =>
    part.replace(/[\s\uFEFF]/g, ''),
  );
  if (!isWrapping(before ?? '', after ?? '')) return undefined;
  try {
    return storable(JSON.parse(body.slice(start, end + 1)) as Fields);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | null {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  return trimmed === '' ? null : trimmed;
}

/** A calendar date; empty or null if there is none. */
function date(value: unknown): string | null {
  const day = /^(\d{4}-\d\d-\d\d)/.exec(text(value) ?? '')?.[1];
  return day === undefined || day.startsWith('0001') ? null : day;
}

/** Business names are texts, or objects in some answers. */
function names(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list
    .map((item) => {
      if (typeof item !== 'object' || item === null) return text(item);
      const fields = item as Fields;
      return text(fields['OrganisationName'] ?? fields['Name'] ?? fields['BusinessName']);
    })
    .filter((name) => name !== null)
    .slice(0, NAMES_MAX);
}

const STATUSES: Readonly<Record<string, 'active' | 'cancelled'>> = {
  active: 'active',
  cancelled: 'cancelled',
};

function toEntry(abn: string, fields: Fields): RegisterEntry {
  return {
    abn,
    acn: text(fields['Acn']),
    abn_status: STATUSES[(text(fields['AbnStatus']) ?? '').toLowerCase()] ?? null,
    effective_from: date(fields['AbnStatusEffectiveFrom']),
    entity_name: text(fields['EntityName']),
    entity_type: text(fields['EntityTypeName']),
    entity_type_code: text(fields['EntityTypeCode']),
    business_names: names(fields['BusinessName']),
    gst_from: date(fields['Gst']),
    state: text(fields['AddressState']),
    postcode: text(fields['AddressPostcode']),
  };
}

/** Reads the body of an answer with status 200. */
export function parseAnswer(body: string): RegisterAnswer {
  const fields = unwrap(body);
  if (fields === undefined) return { status: 'unavailable', reason: 'the answer is not JSONP' };
  const message = text(fields['Message']);
  if (message !== null) {
    return NOT_FOUND.test(message)
      ? { status: 'not_found' }
      : { status: 'unavailable', reason: message.slice(0, 200) };
  }
  const { normalised, checksum_valid } = checkAbn(text(fields['Abn']) ?? '');
  if (!checksum_valid) return { status: 'unavailable', reason: 'the answer names no ABN' };
  return { status: 'found', entry: toEntry(normalised, fields) };
}
