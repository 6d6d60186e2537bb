/** The first steps of a newcomer: the tour as a program, and its page pasted into shells. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DemoAddresses, type DemoService, prepareDemo } from '../support/demo-service.ts';
import { testDatabase } from '../support/pg.ts';
import { ROOT } from '../support/source-tree.ts';

const execute = promisify(execFile);
const [database, young] = [await testDatabase(), await testDatabase()];
const [place, withoutPast] = [prepareDemo(database.url), prepareDemo(young.url)];
const TIMEOUT_MS = 180_000;
/** Temporary files of the tour and the shells. */
const folder = mkdtempSync(join(tmpdir(), 'spp-tour-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let service: DemoService;
let addresses: DemoAddresses;
beforeAll(async () => {
  service = place.start();
  addresses = await service.ready();
}, TIMEOUT_MS);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the tour as `npm run tour` does. */
async function tour(options: readonly string[], at: DemoAddresses = addresses): Promise<Ended> {
  const args = ['demo/tour/run.ts', '--api', at.api, '--demo', at.demo, ...options];
  const env = { PATH: process.env['PATH'], TMPDIR: folder };
  return execute(process.execPath, args, { cwd: ROOT, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

const pageIn = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
const page = pageIn(readFileSync(join(ROOT, 'docs/walk-through.md'), 'utf8'));
/** The blocks of the page, for the ports of this service. */
const blocks = (): string[] =>
  page.map((block) =>
    block
      .replace('http://127.0.0.1:8080', addresses.api)
      .replace('http://127.0.0.1:8082', addresses.demo)
      .replace('mktemp -d', `mktemp -d ${join(folder, 'shell-XXXXXX')}`),
  );

/** Refusals in an output, without the one that the page shows: of an answer with a telephone number. */
const refusals = (output: string): string[] =>
  (output.match(/^\{"(?:detail|error)":.*/gm) ?? []).filter((line) => !line.includes('contact_phone'));

test('the start prints five lines of addresses and one with the number of migrations', () => {
  const lines = service.output().trim().split('\n');
  const first = lines.findIndex((line) => line.startsWith('Seller Partner Service: '));
  expect(lines.slice(first)).toEqual([
    expect.stringContaining(addresses.api),
    `API description:        ${addresses.api}/docs`,
    expect.stringMatching(/^Sign in as: .*june@example\.com.*demo-password/),
    expect.stringContaining(`npm run tour -- --api ${addresses.api} --demo ${addresses.demo}`),
    expect.stringContaining('docs/walk-through.md'),
  ]);
  expect(lines.filter((line) => /migrat/i.test(line)).length).toBeLessThanOrEqual(1);
});

const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');
test.skipIf(!hasTerminal)(
  `on a terminal the access log goes to a file${hasTerminal ? '' : ' (skipped: no terminal here)'}`,
  { timeout: TIMEOUT_MS },
  async () => {
    const dataDir = join(folder, 'terminal');
    const env = {
      ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
      ...{ DATA_DIR: dataDir, DATABASE_URL: young.url, PORT: '0', INTERNAL_PORT: '0', DEMO_PORT: '0' },
      ...{ DEMO_PAST_DAYS: '0' },
    };
    const args = ['-qec', `${process.execPath} src/main.ts`, '/dev/null'];
    const terminal = spawn('script', args, { cwd: ROOT, env });
    let said = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said, { timeout: 60_000, interval: 50 }).toContain('walk-through.md');
    const [, url = ''] = /Seller Partner Service: (\S+)/.exec(said) ?? [];
    expect(said).toContain(`log: ${join(dataDir, 'service.log')}`);
    expect((await fetch(`${url}/api/v1/products`)).status).toBe(401);
    const log = () => readFileSync(join(dataDir, 'service.log'), 'utf8');
    await expect.poll(log, { timeout: 10_000, interval: 50 }).toContain('"route":"products.list"');
    terminal.stdin.write('\u0003');
    await once(terminal, 'close');
    expect(said.match(/"level":"(?:info|debug)".*/g) ?? []).toEqual([]);
  },
);

describe('npm run tour', () => {
  test.each(['first', 'second'])(
    'succeeds the %s time on the same data',
    { timeout: TIMEOUT_MS },
    async (run) => {
      const written = join(folder, `${run}.md`);
      const { code, stdout, stderr } = await tour(['--yes', '--curl', '--write', written]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('"counts": { "rows": 5, "created": 2, "unchanged": 0, "rejected": 3 }');
      expect(stdout).toContain('"counts": { "rows": 3, "created": 3, "unchanged": 0, "rejected": 0 }');
      expect(stdout).toContain('"counts": { "rows": 5, "created": 0, "unchanged": 5, "rejected": 0 }');
      for (const part of [
        '"status": "accepted"',
        '"status": "dispatched"',
        '"type": "order.shipped"',
        '"status": "balanced"',
      ])
        expect(stdout).toContain(part);
      expect(stdout).toMatch(/label\.pdf: \d{4,} bytes/);
      expect(stdout).toMatch(/invoice\.pdf: \d{4,} bytes/);
      expect(stdout).toContain('curl -sS -X POST "$API/auth/exchange"');
      const [, files = ''] = /The files are in (\S+)/.exec(stdout) ?? [];
      expect(files.startsWith(folder)).toBe(true);
      expect(readFileSync(join(files, 'label.pdf'), 'latin1')).toMatch(/^%PDF-/);
      expect(pageIn(readFileSync(written, 'utf8'))).toEqual(page);
      for (const name of ['label.pdf', 'export.csv', 'settlement.csv'])
        expect(existsSync(join(ROOT, name))).toBe(false);
    },
  );

  test('a part first runs the parts that it needs, without showing them', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { code, stdout } = await tour(['--part', 'orders', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('First: The catalogue');
    expect(stdout).not.toContain('Send a catalogue file');
    expect(stdout).toContain('"status": "accepted"');
    expect(stdout).not.toContain('Hand the parcel over');
  });

  test('stops with the cause: no service, no such part, a refused step', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const nowhere = await tour(['--yes'], { api: 'http://127.0.0.1:1', demo: 'http://127.0.0.1:1' });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('Start the service with "npm start"'),
    ]);
    const unknown = await tour(['--part', 'taxes']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no part "taxes"')]);
    const other = withoutPast.start({ DEMO_PAST_DAYS: '0' });
    const refused = await tour(['--part', 'money', '--yes'], await other.ready());
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/POST \/api\/v1\/auth\/exchange .*\nwas answered 404: .*seller_not_found/);
    expect(refused.stderr).toContain('DEMO_PAST_DAYS=0');
    await other.end('SIGINT');
  });
});

describe('docs/walk-through.md', () => {
  test('every block succeeds in bash', { timeout: TIMEOUT_MS }, async () => {
    const script = blocks().join('\n');
    const { stdout, stderr } = await execute('bash', ['-e', '-c', script], {
      cwd: ROOT,
      maxBuffer: 8_000_000,
    });
    expect(stderr).toBe('');
    expect(refusals(stdout)).toEqual([]);
    for (const part of ['"status":"dispatched"', '"status":"balanced"'])
      expect(stdout.includes(part)).toBe(true);
  });

  test('a refusal is printed, and the missing value is named', async () => {
    const [first = '', ...others] = blocks();
    const pack = others.filter((block) => block.includes('/shipments"'));
    const script = [first, 'TOKEN=none ORDER=none', ...pack].join('\n');
    const ended = await execute('bash', ['-c', script], { cwd: ROOT }).catch((error: Ended) => error);
    expect(ended.stdout).toContain('"code":"token_invalid"');
    expect(ended.stderr).toContain('SHIPMENT: missing in the answer above');
  });

  const hasZsh = existsSync('/usr/bin/zsh') && existsSync('/usr/bin/script');
  test.skipIf(!hasZsh)(
    `every block succeeds when pasted into zsh on a terminal${hasZsh ? '' : ' (skipped: no zsh here)'}`,
    { timeout: TIMEOUT_MS },
    async () => {
      // The next block is pasted when the shell reports that the block before has ended.
      const terminal = spawn('script', ['-qec', 'zsh -f -i', '/dev/null'], { cwd: ROOT });
      let said = '';
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      for (const [index, block] of blocks().entries()) {
        terminal.stdin.write(`${block}\necho "ended-$((${index} + 1000))"\n`);
        await expect.poll(() => said, { timeout: 60_000, interval: 50 }).toContain(`ended-${index + 1000}`);
      }
      terminal.stdin.write('exit\n');
      await once(terminal, 'close');
      expect(said.match(/zsh: .*|command not found.*/g) ?? []).toEqual([]);
      expect(refusals(said)).toEqual([]);
      expect(said.includes('"status":"balanced"')).toBe(true);
    },
  );
});
