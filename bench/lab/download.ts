/** Files as a client receives them: counted and dropped. */
import type { Seller } from './sellers.ts';
import type { Service } from './service.ts';

const LINE_END = 0x0a;

export interface Received {
  readonly lines: number;
  readonly bytes: number;
}

function linesOf(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

/** @param path below `/api/v1` */
export async function download(service: Service, seller: Seller, path: string): Promise<Received> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${seller.token}` },
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  let lines = 0;
  let bytes = 0;
  for await (const chunk of response.body) {
    lines += linesOf(chunk);
    bytes += chunk.length;
  }
  return { lines, bytes };
}
