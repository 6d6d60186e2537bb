/**
 * `npm run check`: all checks that need no database. The steps run concurrently; each prints one line, and a failed
 * step its output. `--no-tests` leaves the unit tests out.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const STEPS: readonly Step[] = [
  {
    name: 'format and lint',
    command: [bin('biome'), 'check', '--error-on-warnings', '--max-diagnostics=12'],
  },
  {
    name: 'types',
    // In one thread, because several would repeat each other's work. Incremental: unchanged files are not checked again.
    command: [
      bin('tsc'),
      ...['--noEmit', '--project', '.', '--singleThreaded'],
      ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'],
    ],
  },
  {
    name: 'unit and architecture tests',
    command: [bin('vitest'), 'run', '--project', 'unit', '--reporter=minimal'],
  },
  { name: 'generated files', command: [process.execPath, 'scripts/gen.ts', '--check'] },
  { name: 'API description', command: [bin('redocly'), 'lint', 'openapi.json', '--config', 'redocly.yaml'] },
];

const ENVIRONMENT = {
  ...process.env,
  // The linter must not send telemetry or check for updates.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  // Node's compile cache.
  NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/compiled`,
};

/** Tests are left out where all tests run next. */
const steps = process.argv.includes('--no-tests')
  ? STEPS.filter(({ name }) => !name.endsWith('tests'))
  : STEPS;

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
}

function run({ command: [program, ...args] }: Step): Promise<Outcome> {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const finish = (ok: boolean): void =>
      resolve({ ok, output, seconds: (performance.now() - start) / 1000 });
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', (error) => {
      output += error.message;
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}

const outcomes = await Promise.all(
  steps.map(async (step) => {
    const outcome = await run(step);
    console.log(`${outcome.ok ? 'ok    ' : 'FAILED'}  ${step.name} (${outcome.seconds.toFixed(1)} s)`);
    return { step, outcome };
  }),
);
const failed = outcomes.filter(({ outcome }) => !outcome.ok);
for (const { step, outcome } of failed) console.log(`\n== ${step.name}\n${outcome.output.trim()}`);
process.exitCode = failed.length > 0 ? 1 : 0;
