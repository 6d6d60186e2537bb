/**
 * The one catalogue of row codes: what a row result, an issue or a field finding of the API may carry.
 * The feed contract publishes it. Source: docs/design/feeds-and-imports.md#row-results.
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
 * Longest excerpt of an offending value in a row result, in characters
 * (docs/design/feeds-and-imports.md#row-results).
 */
export const VALUE_EXCERPT_MAX = 80;

export interface FindingDetail {
  readonly column?: string | undefined;
  /** The offending value; like the name of the column cut to {@link VALUE_EXCERPT_MAX} characters. */
  readonly value?: string | undefined;
  /** The correct value: a check digit, a list of values, a range. */
  readonly expected?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly severity?: Severity | undefined;
}

/** Builds one finding; absent details come from the catalogue of codes. */
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

export function hasError(messages: readonly RowMessage[]): boolean {
  for (const message of messages) if (message.severity === 'error') return true;
  return false;
}

/**
 * Shortens a text between characters, never inside a surrogate pair. The replacement character stands for what the
 * database cannot store (a NUL, half a character).
 */
function excerpt(value: string): string {
  if (value.length <= VALUE_EXCERPT_MAX) return showable(value);
  const head = value.slice(0, VALUE_EXCERPT_MAX - 1);
  const last = head.charCodeAt(head.length - 1);
  const whole = last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
  return `${showable(whole)}…`;
}

const showable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
