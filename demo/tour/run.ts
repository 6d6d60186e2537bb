/** `npm run tour`: shows the service step by step in a terminal, on the running demo. */
import { randomInt } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs, styleText } from 'node:util';
import { systemNow } from '../../src/platform/db/clock.ts';
import { isoOf } from '../demo-event.ts';
import { DEFAULT_ADDRESSES } from './addresses.ts';
import { curlOf, preamble } from './curl.ts';
import { pageOf, type Shown } from './page.ts';
import { PARTS, withNeeded } from './parts.ts';
import { StepFailed, takeStep } from './take-step.ts';

const NAMES = PARTS.map(({ name }) => name).join(', ');
const HELP = `npm run tour -- [options]

Start the service with "npm start" in another terminal first.

  --part NAME   one part: ${NAMES}; the parts that it needs run first, without a stop
  --yes         do not wait for Enter between steps
  --curl        show each request as a line of curl too
  --api URL     address of the service (${DEFAULT_ADDRESSES.api})
  --demo URL    address of the demo marketplace (${DEFAULT_ADDRESSES.demo})
  --write FILE  write the walk-through with the answers of this run
`;

/** A supplier may answer within three days. */
const SOON_MS = 3 * 86_400_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const dim = (text: string): string => styleText('dim', text);

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { part: text, yes: flag, curl: flag, help: flag, api: text, demo: text, write: text },
  });
  const { part, api = DEFAULT_ADDRESSES.api, demo = DEFAULT_ADDRESSES.demo } = values;
  const parts = part === undefined ? PARTS : withNeeded(part);
  if (parts.length === 0) throw new StepFailed(`There is no part "${part}". Parts: ${NAMES}.`);
  return { ...values, part, parts, addresses: { api, demo } };
}

/** Waits for Enter, unless there is no terminal to wait for. */
async function pause(yes: boolean): Promise<void> {
  if (yes || !process.stdin.isTTY) return;
  const line = createInterface({ input: process.stdin, output: process.stdout });
  await line.question(dim('Enter …'));
  line.close();
}

async function tour(options: ReturnType<typeof readOptions>): Promise<void> {
  const { part: only, parts, yes, curl, addresses, write } = options;
  const files = await mkdtemp(join(tmpdir(), 'spp-tour-'));
  let values: Readonly<Record<string, string>> = {
    ...{ API: `${addresses.api}/api/v1`, DEMO: addresses.demo },
    ...{ FILES: files, TOUR: String(randomInt(10 ** 12, 10 ** 13)) },
    SOON: isoOf(systemNow() + SOON_MS),
  };
  const shown: Shown[] = [];
  if (curl) say(`\n${preamble(addresses)}`);
  for (const part of parts) {
    const quiet = only !== undefined && part.name !== only;
    say(
      quiet
        ? dim(`First: ${part.title}`)
        : `\n${styleText(['bold', 'underline'], part.title)}\n${part.about}`,
    );
    for (const step of part.steps) {
      if (!quiet) say(`\n${styleText('bold', `${shown.length + 1}. ${step.title}`)}`);
      if (!quiet && step.note !== undefined) say(step.note);
      const { request, answer, values: more } = await takeStep(step, values);
      values = { ...values, ...more };
      shown.push({ part, step, answer });
      if (quiet) continue;
      say(styleText('cyan', request));
      if (curl) say(dim(curlOf(step)));
      say(answer);
      await pause(yes);
    }
  }
  const requests = shown.filter(({ step }) => !('from' in step)).length;
  say(`\n${styleText('bold', 'Done')}: ${requests} requests. The files are in ${files}`);
  say(`Next: docs/integrate.md, and ${addresses.api}/docs`);
  if (write !== undefined) await writeFile(write, pageOf(shown));
}

try {
  const options = readOptions();
  if (options.help) say(HELP);
  else await tour(options);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const expected = error instanceof StepFailed || 'code' in error;
  process.stderr.write(`\n${expected ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
