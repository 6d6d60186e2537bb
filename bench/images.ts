/** Uploads of JPEG files of 24 megapixels, which the service writes anew. The limit is `sharp` alone in a process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { ImageOrder, ImageResult } from './lab/bare-images.ts';
import { watchMemory } from './lab/memory.ts';
import { makeSellers, type Seller } from './lab/sellers.ts';
import { INTERNAL_TOKEN, inTemporaryDirectory, type Service } from './lab/service.ts';
import { heading, median, milliseconds, pairedRatio, report, whole } from './lab/statistics.ts';

const BARE = fileURLToPath(new URL('./lab/bare-images.ts', import.meta.url));
const SIZE = { width: 6_000, height: 4_000 };
/** As many as the service writes at once, each of another seller. */
const AT_ONCE = 2;
const LAG = 'nodejs_eventloop_lag_p99_seconds';

/** Like a photo: smooth with some noise, 2 to 10 MB. */
async function makePhoto(file: string): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 12 } as const;
  await sharp({ create: { ...SIZE, channels: 3, background: '#808080', noise } })
    .jpeg({ quality: 80 })
    .toFile(file);
}

const agent = new Agent({ keepAlive: true });

/** The client shares the processors, so it sends the bytes as they are: `fetch` takes 80 ms of processor time for them. */
async function upload(service: Service, { token }: Seller, photo: Buffer): Promise<void> {
  const headers = {
    ...{ 'content-type': 'image/jpeg', 'content-length': photo.length },
    authorization: `Bearer ${token}`,
  };
  const sent = request(`${service.url}/api/v1/messages/attachments`, { agent, method: 'POST', headers });
  sent.end(photo);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 201) throw new Error(`upload: ${response.statusCode} ${answer}`);
}

/** The 99th percentile of the delays of the event loop since the last call, in milliseconds. */
async function lagMs({ internalUrl }: Service): Promise<number> {
  const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };
  const metrics = await (await fetch(`${internalUrl}/metrics`, { headers })).text();
  return 1_000 * Number(new RegExp(`^${LAG} (\\S+)`, 'm').exec(metrics)?.[1]);
}

async function measure(service: Service, file: string, rounds: number, count: number): Promise<void> {
  const sellers = await makeSellers(service, AT_ONCE);
  const photo = await readFile(file);
  const uploadAll = () =>
    Promise.all(
      sellers.map(async (seller) => {
        for (let index = 0; index < count / AT_ONCE; index += 1) await upload(service, seller, photo);
      }),
    );
  const [ours, limits]: [number[], number[]] = [[], []];
  let [peak, peakBare] = [0, 0];
  const bare = fork(BARE);
  try {
    const order: ImageOrder = { file, count, atOnce: AT_ONCE };
    for (let round = 0; round <= rounds; round += 1) {
      bare.send(order);
      const [limit] = (await once(bare, 'message')) as [ImageResult];
      let ms = 0;
      const { peakRssMb } = await watchMemory(service, async () => {
        ms = await milliseconds(uploadAll);
      });
      if (round === 0) continue;
      ours.push(count / (ms / 1_000));
      limits.push(limit.perSecond);
      [peak, peakBare] = [Math.max(peak, peakRssMb), Math.max(peakBare, limit.peakRssMb)];
    }
  } finally {
    bare.kill();
    await once(bare, 'exit');
  }
  await lagMs(service);
  await uploadAll();
  const lag = await lagMs(service);
  report({
    name: `JPEG of 24 megapixels, ${whole(photo.length / 1e3)} kB, ${AT_ONCE} at once`,
    figure: `${median(ours).toFixed(2)}/s, at most ${whole(peak)} MB resident`,
    limit: `${median(limits).toFixed(2)}/s, at most ${whole(peakBare)} MB`,
    ratio: `${(100 * pairedRatio(ours, limits)).toFixed(0)} %`,
    aim: '>= 80 %',
  });
  report({
    name: 'delay of the event loop meanwhile, p99',
    figure: `${lag.toFixed(1)} ms`,
    limit: '',
    ratio: '',
    aim: '<= 50 ms',
  });
}

export async function benchImages(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Images (limit: sharp alone in a process)');
  await inTemporaryDirectory(async (dir) => {
    const file = join(dir, 'photo.jpg');
    await makePhoto(file);
    await measure(service, file, quick ? 2 : 4, quick ? 4 : 8);
  });
}
