/**
 * The codes of row results, product issues and field errors of the API. The feed contract publishes them.
 * Source: docs/design/feeds-and-imports.md#row-results.
 */
import type { CodeDefinition } from './codes/define.ts';
import { FIELD_CODES } from './codes/field-codes.ts';
import { FILE_CODES } from './codes/file-codes.ts';
import { IDENTITY_CODES } from './codes/identity-codes.ts';
import { PLAN_CODES } from './codes/plan-codes.ts';
import { PROFILE_CODES } from './codes/profile-codes.ts';
import type { RowMessage, Severity } from './row.ts';

const CATALOGUE = { ...FILE_CODES, ...FIELD_CODES, ...IDENTITY_CODES, ...PLAN_CODES, ...PROFILE_CODES };

export type RowCode = keyof typeof CATALOGUE;

export const ROW_CODES: Readonly<Record<RowCode, CodeDefinition>> = CATALOGUE;

/**
 * Longest excerpt of a refused value in a row result, in characters
 * (docs/design/feeds-and-imports.md#row-results).
 */
export const VALUE_EXCERPT_MAX = 80;

export interface FindingDetail {
  readonly column?: string | undefined;
  /** The refused value. It and the column name are cut to {@link VALUE_EXCERPT_MAX} characters. */
  readonly value?: string | undefined;
  /** What is allowed: a value, a list of values, a range. */
  readonly expected?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly severity?: Severity | undefined;
}

/** Makes a finding; the catalogue of codes gives the absent details. */
export function rowMessage(code: RowCode, detail: FindingDetail = {}): RowMessage {
  const definition = ROW_CODES[code];
  const hint = detail.hint ?? definition.hint;
  return {
    code,
    severity: detail.severity ?? definition.severity,
    ...(detail.column === undefined ? {} : { column: excerpt(detail.column) }),
    ...(detail.value === undefined ? {} : { value_excerpt: excerpt(detail.value) }),
    message: detail.message ?? definition.message,
    ...(hint === undefined ? {} : { hint }),
    ...(detail.expected === undefined ? {} : { expected: detail.expected }),
  };
}

/** All that a finding says, for a place where it is one text: what is wrong, what is allowed, and what to do. */
export function wholeText({ message, expected, hint }: RowMessage): string {
  const allowed = expected === undefined ? '' : ` Expected: ${expected}.`;
  return `${message}${allowed}${hint === undefined ? '' : ` ${hint}`}`;
}

export function hasError(messages: readonly RowMessage[]): boolean {
  return messages.some(({ severity }) => severity === 'error');
}

/** Sorts the errors of a row or a file before its other findings. */
export function errorsFirst(one: RowMessage, other: RowMessage): number {
  return Number(other.severity === 'error') - Number(one.severity === 'error');
}

/** Cuts a text between characters, never inside a surrogate pair. */
function excerpt(value: string): string {
  if (value.length <= VALUE_EXCERPT_MAX) return storable(value);
  const cut = value.slice(0, VALUE_EXCERPT_MAX - 1).replace(/[\ud800-\udbff]$/, '');
  return `${storable(cut)}…`;
}

/** PostgreSQL cannot store a NUL or half a surrogate pair; the replacement character takes their place. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
