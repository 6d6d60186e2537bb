/**
 * A program that handles the embedded server like the service: starts it, prints its address, and on a signal
 * finishes its work before it stops the server. Run as `node embedded-service.ts <data directory>`.
 */
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import { runOn } from './test-server.ts';

const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const dataDir = process.argv[2] ?? '';

try {
  const server = await startEmbedded({ dataDir, log: (line) => say({ log: line }) });
  const { url, superuserUrl, adopted, pid, dataPath, binariesPath } = server;
  const end = async (): Promise<void> => {
    // A request that runs when the signal comes still has its database.
    const drained = await runOn(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
    await server.stop();
    say({ drained });
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end());
  say({ url, superuserUrl, adopted, pid, dataPath, binariesPath });
  setInterval(() => undefined, 60_000);
} catch (thrown) {
  say({ error: thrown instanceof Error ? thrown.message : String(thrown) });
  process.exitCode = 1;
}
