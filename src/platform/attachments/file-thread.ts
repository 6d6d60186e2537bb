/** The thread that checks files, one after another. Its memory is another one, so files are handed over. */
import { parentPort } from 'node:worker_threads';
import { checkFile } from './check-file.ts';
import type { FileOrder } from './check-in-thread.ts';

parentPort?.on('message', async ({ bytes, wanted }: FileOrder) => {
  const result = await checkFile(Buffer.from(bytes.buffer), wanted);
  const copy = typeof result === 'object' && 'copy' in result ? result.copy : undefined;
  parentPort?.postMessage(result, copy === undefined ? [] : [copy.buffer]);
});
