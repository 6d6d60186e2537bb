import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { hasControlInLine, hasControlInText, isLongerThan, trimLine, trimText } from './clean-text.ts';

/** Where a check reports its findings. */
export interface Reporter {
  readonly column: string;
  readonly messages: RowMessage[];
  /** Decimal places of amounts; absent when the amounts are in minor units. */
  readonly exponent?: number | undefined;
}

/**
 * Cleans and checks a one-line text.
 *
 * @returns the text, `''` for a blank, `undefined` when it was refused
 */
export function checkLine(value: string, max: number, reporter: Reporter): string | undefined {
  const text = trimLine(value);
  return isRefused(text, max, hasControlInLine(text), reporter) ? undefined : text;
}

/** As {@link checkLine} for a text that may have line breaks. */
export function checkText(value: string, max: number, reporter: Reporter): string | undefined {
  const text = trimText(value);
  return isRefused(text, max, hasControlInText(text), reporter) ? undefined : text;
}

/** As {@link checkLine} for an optional text: an empty text clears the field. */
export function checkOptionalLine(
  value: string | null,
  max: number,
  reporter: Reporter,
): string | null | undefined {
  return value === null ? null : emptyToNull(checkLine(value, max, reporter));
}

export function emptyToNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

function isRefused(text: string, max: number, control: boolean, { column, messages }: Reporter): boolean {
  if (control) {
    messages.push(rowMessage('control_chars', { column, value: text }));
    return true;
  }
  if (!text.isWellFormed()) {
    messages.push(rowMessage('text_malformed', { column, value: text }));
    return true;
  }
  if (isLongerThan(text, max)) {
    messages.push(
      rowMessage('length_exceeded', { column, value: text, expected: `at most ${max} characters` }),
    );
    return true;
  }
  return false;
}
