/**
 * Checks an export of the activity log without the service: `npm run verify:audit -- FILE [SEQ:HASH …]`. FILE is the
 * JSON lines of `GET /api/v1/audit/export?format=jsonl`. Each SEQ:HASH is an event `audit.checkpoint` that you have
 * kept. Exit code 1: the log was changed, 2: the file could not be read.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ChainCheck, NO_HASH, type Sealed } from '../src/platform/audit/chain.ts';

/** What is wrong with the file; undefined for a whole chain. */
async function problemOf(
  file: string,
  checkpoints: ReadonlyMap<number, string>,
): Promise<string | undefined> {
  let check: ChainCheck | undefined;
  const kept = new Map(checkpoints);
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const entry: Sealed = JSON.parse(line);
    // A part of the log begins where its first entry says; the whole log begins with zeros.
    check ??= new ChainCheck({ seq: entry.seq - 1, hash: entry.seq === 1 ? NO_HASH : entry.prev_hash });
    if (!check.follow(entry)) return `Entry ${check.firstBreak} was changed or is missing.`;
    const told = kept.get(entry.seq);
    if (told !== undefined && told !== entry.hash)
      return `Entry ${entry.seq} is not that of your checkpoint ${told}: the log was written anew.`;
    kept.delete(entry.seq);
  }
  const { seq, hash } = check?.at ?? { seq: 0, hash: NO_HASH };
  const beyond = [...kept.keys()].find((number) => number > seq);
  if (beyond !== undefined)
    return `The log ends with entry ${seq}, but your checkpoint names entry ${beyond}.`;
  console.log(`The chain is whole up to entry ${seq}, ${hash}.`);
  return undefined;
}

const [file, ...told] = process.argv.slice(2);
const checkpoints = told.map((text) => /^(\d+):([0-9a-f]{64})$/.exec(text));
if (file === undefined || checkpoints.includes(null)) {
  console.error('Usage: npm run verify:audit -- FILE [SEQ:HASH …]');
  process.exitCode = 2;
} else {
  try {
    const kept = new Map(checkpoints.map((match) => [Number(match?.[1]), match?.[2] ?? '']));
    const problem = await problemOf(file, kept);
    if (problem !== undefined) console.error(problem);
    process.exitCode = problem === undefined ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
