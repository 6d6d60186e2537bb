import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./embedded-service.ts', import.meta.url));

/** The program's first message: its address, or why it did not start. */
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
  /** Resolves with the first message; rejects when the program ends without one. */
  readonly up: Promise<Report>;
  /** The lines it has logged. */
  readonly log: readonly string[];
  /** Resolves with the last message when the program has ended. */
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
  // A test that kills it early never awaits the start.
  up.catch(() => undefined);
  return { process: child, up, log, ended };
}
