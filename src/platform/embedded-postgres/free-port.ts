import { createServer } from 'node:net';

/** Loopback only: the embedded server is nobody else's business. */
export const LOOPBACK = '127.0.0.1';

/**
 * A loopback port nobody listens on: `preferred` when it is free, so that the address stays the same from
 * start to start, else one of the kernel's choice.
 */
export async function freePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined) {
    const kept = await tryPort(preferred).catch(() => undefined);
    if (kept !== undefined) return kept;
  }
  return await tryPort(0);
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, LOOPBACK, () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('the probe has no port'));
        else resolve(address.port);
      });
    });
  });
}
