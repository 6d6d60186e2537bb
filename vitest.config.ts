import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const databaseTests = '**/*.db.test.ts';
const acceptanceTests = 'test/acceptance/**/*.test.ts';
const elsewhere = ['**/node_modules/**', '.data/**'];

/**
 * A start of the whole program takes a second, and a property test too; on a small machine that is busy with something
 * else, a minute. The limit only ends tests that would never end.
 */
const TEST_MS = 180_000;

/** One more than there are processors, for tests that wait; at most what the connections of the server allow. */
const WORKERS = Math.min(availableParallelism() + 1, 4);

// Node keeps what it has compiled of a file, by its content: the test processes start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/**
 * Three kinds of tests: `unit` needs nothing, `db` a PostgreSQL, `acceptance` the running service. The
 * latter two share one PostgreSQL, which the first of them to start brings up.
 *
 * The files of `unit` and `db` take turns in a few processes: to load and compile the service anew for each of
 * them takes longer than most of their tests. So a test must not lean on what a module has counted so far.
 */
export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    // As Node loads the program itself, without another tool's transformation between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['{src,demo,scripts,bench}/**/*.test.ts', 'test/*.test.ts', 'test/support/**/*.test.ts'],
          exclude: [...elsewhere, databaseTests],
          testTimeout: TEST_MS,
        },
      },
      {
        test: {
          name: 'db',
          isolate: false,
          include: [databaseTests],
          exclude: [...elsewhere, acceptanceTests],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/statements-made.ts',
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: [acceptanceTests],
          exclude: elsewhere,
          globalSetup: 'test/support/global-setup.ts',
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
        },
      },
    ],
  },
});
