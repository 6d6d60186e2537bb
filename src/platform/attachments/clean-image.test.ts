import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { cleanImage, imageProblem } from './clean-image.ts';

const SIDE = 2_700;

test('a copy that a scanner would not take is made smaller', async () => {
  const noise = sharp(randomBytes(SIDE * SIDE), { raw: { width: SIDE, height: SIDE, channels: 1 } });
  const sent = await noise.toColourspace('b-w').png().toBuffer();
  const again = await sharp(sent).png().toBuffer();
  expect([sent.length < 10_485_760, again.length > 16_000_000]).toEqual([true, true]);
  const clean = await cleanImage(sent, 0, 600);
  if (typeof clean === 'string') throw new Error(clean);
  expect(clean.bytes.length).toBeLessThanOrEqual(16_000_000);
  expect(clean.width).toBeLessThan(SIDE);
  expect(await sharp(clean.bytes).metadata()).toMatchObject({ format: 'png', width: clean.width });
});

test('an image for which a busy machine has no time is not called unreadable', () => {
  expect(imageProblem(new Error('timeout: 12% complete'))).toBe('out_of_time');
  expect(imageProblem(new Error('VipsJpeg: premature end of image'))).toBe('attachment_unreadable');
});
