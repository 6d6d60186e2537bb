import { defineConfig } from 'vitest/config';

const databaseTests = '**/*.db.test.ts';
const acceptanceTests = 'test/acceptance/**/*.test.ts';
const elsewhere = ['**/node_modules/**', '.data/**'];

/** A start of the whole program, or of a server, takes seconds on a small machine that is busy. */
const SERVER_TEST_MS = 60_000;
/** Property tests take a second; on a machine that is busy with something else, many. */
const UNIT_TEST_MS = 30_000;

/**
 * Three kinds of tests: `unit` needs nothing, `db` a PostgreSQL, `acceptance` the running service. The
 * latter two share one PostgreSQL, which the first of them to start brings up.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,scripts,bench}/**/*.test.ts', 'test/*.test.ts', 'test/support/**/*.test.ts'],
          exclude: [...elsewhere, databaseTests],
          testTimeout: UNIT_TEST_MS,
        },
      },
      {
        test: {
          name: 'db',
          include: [databaseTests],
          exclude: [...elsewhere, acceptanceTests],
          globalSetup: 'test/support/global-setup.ts',
          testTimeout: SERVER_TEST_MS,
          hookTimeout: SERVER_TEST_MS,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: [acceptanceTests],
          exclude: elsewhere,
          globalSetup: 'test/support/global-setup.ts',
          testTimeout: SERVER_TEST_MS,
          hookTimeout: SERVER_TEST_MS,
        },
      },
    ],
  },
});
