import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { drawPdf } from './draw-pdf.ts';
import type { TextItem } from './drawing.ts';

const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined;

// Reading the file needs Poppler; where it is missing the test is shown as skipped.
describe.runIf(hasPoppler)('the text of a file', () => {
  test.each([
    ['letters with and without dots', ['شركة', 'سيدني', 'رسوم', 'شارع']],
    ['letters that share a form', ['بنت', 'تين', 'نبي', 'يثب']],
    ['letters of Latin', ['Zoë Müller', 'Nguyễn Thị Hồng', 'Tea\u00a0House']],
  ])('has the %s that were drawn', async (_what, words) => {
    const items = words.map(
      (text, index): TextItem => ({
        ...{ kind: 'text', x: 40, y: 60 * (index + 1), text, size: 30, weight: 'regular', role: 'P' },
      }),
    );
    const data = await drawPdf([{ width: 800, height: 600, items }], { title: 'Words', madeAt: 0 });
    const { stdout } = spawnSync('pdftotext', ['-', '-'], { input: data });
    const found = stdout.toString().replaceAll(/[\u200e\u200f\u202a-\u202e\f]/g, '');
    expect(found.split('\n').filter(Boolean)).toEqual(words.map((word) => word.replaceAll('\u00a0', ' ')));
  });
});
