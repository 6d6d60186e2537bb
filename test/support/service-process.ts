import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./embedded-service.ts', import.meta.url));

/** What the program says once it is up, or why it is not. */
export interface Report {
  readonly url: string;
  readonly superuserUrl: string;
  readonly adopted: boolean;
  readonly pid: number;
  readonly dataPath: string;
  readonly binariesPath: string;
  readonly error?: string;
  readonly drained?: boolean;
}

/** A running `embedded-service.ts`, the leader of a process group of its own. */
export interface ServiceProcess {
  readonly process: ChildProcess;
  /** Resolves when it is up or has given up; rejects when it ends without a word. */
  readonly up: Promise<Report>;
  /** The lines it has logged. */
  readonly log: readonly string[];
  /** Resolves when it has ended, with what it said last. */
  readonly ended: Promise<Partial<Report>>;
}

/** Starts the program, as another user when one is given. */
export function spawnService(dataDir: string, user?: { uid: number; gid: number }): ServiceProcess {
  const child = spawn(process.execPath, [PROGRAM, dataDir], {
    ...user,
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: string[] = [];
  let last: Partial<Report> = {};
  const ended = once(child, 'close').then(() => last);
  const up = new Promise<Report>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said: Report & { log?: string } = JSON.parse(line);
      last = said;
      if (said.log !== undefined) log.push(said.log);
      else resolve(said);
    });
    ended.then(() => reject(new Error('the service ended without a word')), reject);
  });
  // Whoever kills it early does not wait for it to be up.
  up.catch(() => undefined);
  return { process: child, up, log, ended };
}
