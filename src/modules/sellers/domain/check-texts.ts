import { invalid } from '../../../kernel/errors.ts';
import { findUnstorableText } from '../../../kernel/storable-text.ts';

/** @throws ApiError 422 naming the first text of a body that cannot be stored */
export function checkTexts(body: unknown): void {
  const at = findUnstorableText(body);
  if (at === undefined) return;
  throw invalid([
    {
      loc: ['body', ...at],
      msg: 'The text holds a NUL or half of a character; remove it.',
      type: 'text_invalid',
    },
  ]);
}
