/**
 * The limit of images: `sharp` alone in a process, with the options of the service. Takes {@link ImageOrder} as a
 * message and answers with {@link ImageResult}.
 */
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

export interface ImageOrder {
  readonly file: string;
  readonly count: number;
  readonly atOnce: number;
}
export interface ImageResult {
  readonly perSecond: number;
  readonly peakRssMb: number;
}

const rewrite = (bytes: Buffer): Promise<Buffer> =>
  sharp(bytes, { limitInputPixels: 50_000_000, failOn: 'error' })
    .rotate()
    .resize({ width: 4_096, height: 4_096, fit: 'inside', withoutEnlargement: true })
    .toFormat('jpeg')
    .toBuffer();

async function run({ file, count, atOnce }: ImageOrder): Promise<ImageResult> {
  const bytes = await readFile(file);
  const start = performance.now();
  const one = async (): Promise<void> => {
    for (let index = 0; index < count / atOnce; index += 1) await rewrite(bytes);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const perSecond = (count / (performance.now() - start)) * 1_000;
  return { perSecond, peakRssMb: process.resourceUsage().maxRSS / 1e3 };
}

process.on('message', (order: ImageOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
