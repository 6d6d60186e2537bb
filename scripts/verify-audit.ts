/**
 * Checks an export of the activity log without the service: `npm run verify:audit -- FILE [SEQ:HASH …]`. FILE is the
 * JSON lines of `GET /api/v1/audit/export?format=jsonl`. Each SEQ:HASH is an event `audit.checkpoint` that you have
 * kept. Exit code 1: the log was changed, 2: the file could not be read.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  ChainCheck,
  type ChainPlace,
  canonicalEntry,
  NO_HASH,
  type Sealed,
} from '../src/platform/audit/chain.ts';

type Checkpoint = readonly [seq: number, hash: string];

/** @throws Error if the line is no entry */
function readEntry(line: string, number: number): Sealed {
  try {
    const entry: Sealed = JSON.parse(line);
    if (Number.isSafeInteger(entry.seq)) return entry;
  } catch {
    // Said below.
  }
  throw new Error(`Line ${number} is no entry of the log.`);
}

/** What is wrong with the file; undefined for a whole chain. */
async function problemOf(file: string, checkpoints: readonly Checkpoint[]): Promise<string | undefined> {
  const differs = ({ seq, hash }: ChainPlace): string | undefined => {
    const other = checkpoints.find(([number, told]) => number === seq && told !== hash);
    return other && `Entry ${seq} is not that of your checkpoint ${other[1]}: the log was written anew.`;
  };
  let check: ChainCheck | undefined;
  let [first, lines] = [0, 0];
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    lines += 1;
    const entry = readEntry(line, lines);
    if (check === undefined) {
      first = entry.seq;
      // A part of the log begins where its first entry says; the whole log begins with zeros.
      const before = { seq: first - 1, hash: first === 1 ? NO_HASH : entry.prev_hash };
      const problem = first > 1 ? differs(before) : undefined;
      if (problem !== undefined) return problem;
      check = new ChainCheck(before);
    }
    // The same entry in another form may show a reader other values than those that are hashed.
    if (!check.follow(entry) || canonicalEntry(entry) !== line)
      return `Entry ${check.firstBreak ?? entry.seq} was changed or is missing.`;
    const problem = differs(entry);
    if (problem !== undefined) return problem;
  }
  if (check === undefined) throw new Error('The file has no entry.');
  const { seq, hash } = check.at;
  const beyond = checkpoints.find(([number]) => number > seq);
  if (beyond !== undefined)
    return `The log ends with entry ${seq}, but your checkpoint names entry ${beyond[0]}.`;
  const earlier = checkpoints.find(([number]) => number < first - 1);
  if (earlier !== undefined)
    return `The log begins with entry ${first}, but your checkpoint names entry ${earlier[0]}.`;
  console.log(`The chain is whole from entry ${first} to entry ${seq}, ${hash}.`);
  return undefined;
}

const [file, ...told] = process.argv.slice(2);
const checkpoints = told.map((text) => /^(\d+):([0-9a-f]{64})$/.exec(text));
if (file === undefined || checkpoints.includes(null)) {
  console.error('Usage: npm run verify:audit -- FILE [SEQ:HASH …]');
  process.exitCode = 2;
} else {
  try {
    const kept = checkpoints.map((match): Checkpoint => [Number(match?.[1]), match?.[2] ?? '']);
    const problem = await problemOf(file, kept);
    if (problem !== undefined) console.error(problem);
    process.exitCode = problem === undefined ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
