import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult } from './load.ts';

const PROGRAM = fileURLToPath(new URL('./load.ts', import.meta.url));

/** A GET as it goes over the wire. */
export function wireGet(path: string, token?: string): string {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Accept: application/json\r\n\r\n`;
}

/** A POST of JSON as it goes over the wire. */
export function wirePost(path: string, headers: Readonly<Record<string, string>>, json: string): string {
  const all = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${json}`;
}

/**
 * Puts a server under load from another process.
 *
 * @throws when an answer was not 200, because the figure would be wrong
 */
export async function applyLoad(order: LoadOrder): Promise<LoadResult> {
  const child = fork(PROGRAM);
  child.send(order);
  const [result] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the load generator ended with ${code}`);
    }),
  ])) as [LoadResult];
  if (result.failures > 0) throw new Error(`${result.failures} answers were not 200`);
  return result;
}
