/** The program as a newcomer starts it, with the demo marketplace, on a database and ports of the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { PROGRAM } from './cluster.ts';

const GREETED = /Seller Partner Service: (\S+)[\s\S]*; at (http\S+)\n[\s\S]*walk-through\.md\n/;
const POLL_MS = 20;

export interface DemoAddresses {
  readonly api: string;
  readonly demo: string;
}

export interface DemoService {
  /** Its output, of both streams. */
  output(): string;
  /** Resolves when the output contains the text. */
  says(what: RegExp): Promise<void>;
  /** Where the service and the demo marketplace are, once both listen. */
  ready(): Promise<DemoAddresses>;
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

export interface DemoPlace {
  readonly dataDir: string;
  start(env?: Readonly<Record<string, string>>): DemoService;
}

function startIn(env: Readonly<Record<string, string>>, children: Set<ChildProcess>): DemoService {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, PROGRAM, {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const ended = once(child, 'exit').then(() => void children.delete(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  async function says(what: RegExp): Promise<void> {
    while (!what.test(said)) {
      if (child.exitCode !== null) throw new Error(`the service has ended:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  return {
    output: () => said,
    says,
    async ready() {
      await says(GREETED);
      const [, api = '', demo = ''] = GREETED.exec(said) ?? [];
      return { api, demo };
    },
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

/** A data folder on a database. Its processes end with the last test of the calling file. */
export function prepareDemo(databaseUrl: string): DemoPlace {
  const dataDir = mkdtempSync(join(tmpdir(), 'spp-demo-'));
  const children = new Set<ChildProcess>();
  atEnd(async () => {
    await Promise.all(
      [...children].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
    rmSync(dataDir, { recursive: true, force: true });
  });
  const env = {
    APP_ENV: 'development',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    INTERNAL_PORT: '0',
    DEMO_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  return { dataDir, start: (more = {}) => startIn({ ...env, ...more }, children) };
}
