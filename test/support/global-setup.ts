import type { TestProject } from 'vitest/node';
import type { TestServer, TestServerAddress } from './test-server.ts';
import { startTestServer, useServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServerAddress;
  }
}

/** Shared by the projects of one run; each loads this file by itself. */
interface Shared {
  server: Promise<TestServer>;
  users: number;
}
const KEY = Symbol.for('spp.test-server');
const globals: typeof globalThis & { [KEY]?: Shared | undefined } = globalThis;

/**
 * Starts PostgreSQL for the projects that need it: the server of `TEST_DATABASE_URL` when that is set,
 * else an embedded one. The last project to finish ends it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  globals[KEY] ??= { server: given ? useServer(given) : startTestServer(), users: 0 };
  const shared = globals[KEY];
  shared.users += 1;
  const { address } = await shared.server;
  project.provide('testServer', address);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    globals[KEY] = undefined;
    await (await shared.server).close();
  };
}
