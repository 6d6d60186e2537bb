/**
 * Runs every test and ends with one line that says how many passed and failed.
 *
 * `npm test` runs all projects on the embedded server; with `TEST_DATABASE_URL` those that need a database
 * run once more on that one. Arguments go to vitest: `npm test -- src/kernel`.
 *
 * Acceptance tests mostly wait for the programs that they start; the others mostly compute. They run beside each other,
 * so that the processors always have work.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { statementsIn } from './statement-templates.ts';
import { addCounts, type Counts, countsOf, failedFilesOf, summary } from './test-counts.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
/** The tests of the embedded server are left out on another server. */
const ON_GIVEN_SERVER = [
  ...['--project', 'db', '--project', 'acceptance'],
  ...['--exclude', 'src/platform/embedded-postgres/**'],
];

/** The two runs of which all tests consist. Each has an embedded server of its own. */
const RUNS: readonly (readonly [title: string, args: readonly string[]])[] = [
  ['acceptance tests, embedded PostgreSQL', ['--project', 'acceptance', '--maxWorkers', '2']],
  ['unit and database tests, embedded PostgreSQL', ['--project', 'unit', '--project', 'db']],
];

interface Outcome {
  readonly counts: Counts;
  /** Empty for a run that failed without a report. */
  readonly failedFiles: readonly string[];
}

/** Runs vitest once, its report to the terminal and its numbers to a file. */
async function pass(title: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  console.log(`\n== ${title}`);
  const directory = mkdtempSync(join(tmpdir(), 'spp-test-report-'));
  const report = join(directory, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await finished([VITEST, 'run', ...reporters, ...args], env);
    const text = existsSync(report) ? readFileSync(report, 'utf8') : '';
    return { counts: countsOf(text, code), failedFiles: failedFilesOf(text) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs Node and returns its exit code. Signals are forwarded, because the child has a server to end. */
function finished(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    // Without a terminal, vitest prints whole lines, and those of two runs can stand between each other.
    child.stdout.pipe(process.stdout, { end: false });
    const forward = (signal: NodeJS.Signals): void => {
      // A terminal sends Ctrl-C to the child too; a second signal would interrupt its clean-up.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      resolve(code ?? 1);
    });
  });
}

/** More failed files than this are a fault of the product, not of a busy machine. */
const MAX_SECOND_TRIES = 3;

/**
 * Runs the few files that failed beside all others once more, alone. When they pass, the run counts as passed and their
 * names are printed: such a test depends on the speed of the machine and must be mended. Chosen tests
 * (`npm test -- path`) get no second try, and no run gets one if one of them died without naming what failed.
 */
async function secondTry(outcomes: readonly Outcome[]): Promise<Counts> {
  const counts = outcomes.map((outcome) => outcome.counts).reduce(addCounts);
  const failedFiles = outcomes.flatMap((outcome) => outcome.failedFiles);
  const died = outcomes.some((outcome) => outcome.counts.failed > 0 && outcome.failedFiles.length === 0);
  if (died || failedFiles.length === 0 || failedFiles.length > MAX_SECOND_TRIES) return counts;
  const again = await pass('once more, alone: what failed', failedFiles, withStatements);
  if (again.counts.failed > 0 || again.counts.passed === 0) return counts;
  console.log(`\n== UNSTABLE, mend them: ${failedFiles.join(' ')}`);
  return { ...counts, passed: counts.passed + counts.failed, failed: 0 };
}

/** Statements that no test process makes, or only by luck or by waiting, each with its reason. */
const NOT_SEEN: readonly (readonly [begins: string, reason: string])[] = [
  [
    'src/platform/jobs/job-statements.ts: update job set lease_until = {} where',
    'a job that runs for ten seconds',
  ],
  [
    'src/platform/jobs/job-statements.ts: select kind, count(*) filter',
    'made by the command `jobs`, a process of its own',
  ],
  [
    'src/platform/jobs/job-statements.ts: update job set due_at = least(due_at',
    'made by the command `jobs retry`',
  ],
  ['src/platform/files/files.ts: delete from file where file_id', 'two workers that render one invoice'],
  [
    'src/modules/products/store/write-products.ts: select product_id from inventory',
    'a feed beside an order',
  ],
];

/** Statements of the sources that no test has made. A fault in one of them would not be found. */
function untested(folder: string): string[] {
  const made = new Set(
    readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')),
  );
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'));
  return sources.flatMap((path) =>
    statementsIn(readFileSync(join(ROOT, path), 'utf8'))
      .filter((name) => !made.has(name))
      .map((name) => `${path}: ${name.slice(0, 160)}`)
      .filter((line) => !NOT_SEEN.some(([begins]) => line.startsWith(begins))),
  );
}

const { TEST_DATABASE_URL: given, ...environment } = process.env;
const args = process.argv.slice(2);
const made = mkdtempSync(join(tmpdir(), 'spp-statements-'));
const withStatements = { ...environment, STATEMENTS_MADE: made };
let counts: Counts;
if (args.length > 0) {
  counts = (await pass('chosen tests, embedded PostgreSQL', args, withStatements)).counts;
} else {
  counts = await secondTry(
    await Promise.all(RUNS.map(([title, chosen]) => pass(title, chosen, withStatements))),
  );
  const missing = untested(made);
  console.log(`\n== statements that no test makes: ${missing.length}`);
  for (const line of missing) console.log(line);
  counts = addCounts(counts, {
    passed: missing.length === 0 ? 1 : 0,
    failed: missing.length === 0 ? 0 : 1,
    skipped: 0,
  });
}
rmSync(made, { recursive: true, force: true });
if (given) {
  // Chosen tests may all be unit tests; without a choice, a run without tests is a failure.
  const partial = args.length > 0 ? ['--passWithNoTests'] : [];
  const env = { ...environment, TEST_DATABASE_URL: given };
  counts = addCounts(
    counts,
    (await pass('database tests, TEST_DATABASE_URL', [...ON_GIVEN_SERVER, ...partial, ...args], env)).counts,
  );
}
if (counts.passed + counts.failed === 0) console.log('No test ran.');
console.log(summary(counts));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
