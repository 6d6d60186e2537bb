/** An installation whose package of images does not load: images are refused, all else is answered. */
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { checkFile } from './check-file.ts';

const app = await startTestApp({ ROLE: 'api' });
const white = { create: { width: 9, height: 9, channels: 3 as const, background: 'white' } };
const image = await sharp(white).png().toBuffer();
const wanted = { use: 'conversation', stated: undefined, sideMin: 0 } as const;
const ready = async (): Promise<unknown> => (await fetch(new URL('/health/ready', app.url))).json();

const { cache, resolve } = createRequire(import.meta.url);
const path = resolve('sharp');
const broken = {
  loaded: true,
  get exports() {
    throw new Error('no binary for this platform');
  },
};

test('images are taken', async () => {
  expect(await checkFile(image, wanted)).toMatchObject({ content_type: 'image/png', width: 9 });
  expect(await ready()).toEqual({ status: 'ok' });
});

test('without the library images are of no kind that is taken, texts are, and readiness warns', async () => {
  const loaded = cache[path];
  Object.assign(cache, { [path]: broken });
  onTestFinished(() => void Object.assign(cache, { [path]: loaded }));
  expect(await checkFile(image, wanted)).toEqual({ detected: 'image/png' });
  expect(await checkFile(Buffer.from('Hello'), wanted)).toMatchObject({ content_type: 'text/plain' });
  // Not while the service starts.
  const uptime = vi.spyOn(process, 'uptime').mockReturnValue(1);
  onTestFinished(() => uptime.mockRestore());
  expect(await ready()).toEqual({ status: 'ok' });
  uptime.mockReturnValue(11);
  expect(await ready()).toEqual({ status: 'ok', warnings: [expect.stringContaining('`sharp`')] });
});
