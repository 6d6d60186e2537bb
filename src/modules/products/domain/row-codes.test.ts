import { describe, expect, it } from 'vitest';
import { hasError, ROW_CODES, rowMessage, VALUE_EXCERPT_MAX } from './row-codes.ts';

describe('the catalogue of row codes', () => {
  it('names every code in snake_case and gives each a sentence', () => {
    for (const [code, definition] of Object.entries(ROW_CODES)) {
      expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(definition.message, code).toMatch(/^[A-Z].*[.]$/);
      if (definition.hint !== undefined) expect(definition.hint, code).toMatch(/[.]$/);
    }
  });

  it('defines no code in two groups', async () => {
    const groups = await Promise.all([
      import('./codes/file-codes.ts'),
      import('./codes/field-codes.ts'),
      import('./codes/identity-codes.ts'),
      import('./codes/plan-codes.ts'),
      import('./codes/profile-codes.ts'),
    ]);
    const codes = groups.flatMap((group) => Object.values(group).flatMap((table) => Object.keys(table)));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.length).toBe(Object.keys(ROW_CODES).length);
  });
});

describe('rowMessage', () => {
  it('takes severity, words and hint from the catalogue', () => {
    expect(rowMessage('gtin_check_digit', { column: 'global_id', value: '93', expected: '7' })).toEqual({
      code: 'gtin_check_digit',
      severity: 'error',
      column: 'global_id',
      value_excerpt: '93',
      message: ROW_CODES.gtin_check_digit.message,
      hint: ROW_CODES.gtin_check_digit.hint,
      expected: '7',
    });
  });

  it('leaves out what is not known instead of writing undefined', () => {
    expect(Object.keys(rowMessage('row_blank', { column: undefined }))).toEqual([
      'code',
      'severity',
      'message',
    ]);
  });

  it('cuts an excerpt to 80 characters and never inside an emoji', () => {
    const long = rowMessage('length_exceeded', { value: 'x'.repeat(5000) }).value_excerpt ?? '';
    expect(long).toHaveLength(VALUE_EXCERPT_MAX);
    const emoji = rowMessage('length_exceeded', { value: `${'x'.repeat(78)}😀😀` }).value_excerpt ?? '';
    expect(emoji.isWellFormed()).toBe(true);
    expect(emoji.endsWith('x…')).toBe(true);
  });

  it('lets the reporter change the severity', () => {
    const softened = rowMessage('brand_generic', { severity: 'warning' });
    expect(hasError([softened])).toBe(false);
    expect(hasError([softened, rowMessage('brand_generic')])).toBe(true);
  });
});
