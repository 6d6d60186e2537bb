/** Takes a step of the tour: sends its request, keeps the values for later steps, and shortens the answer. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { excerptOf, firstLines } from './excerpt.ts';
import { type EditStep, fill, firstOf, type RequestStep, type Step, type Values } from './step.ts';

const TIMEOUT_MS = 60_000;
/** A request that waits for something is repeated for at most this time. */
const WAIT_MAX_MS = 60_000;

/** A step did not do what it should; the message says why, and what to do. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

interface Taken {
  /** The request in one line. */
  readonly request: string;
  /** The answer, shortened. */
  readonly answer: string;
  /** Values for later steps. */
  readonly values: Values;
}

/** The folder of the repository; the example files lie below it. */
const ROOT = join(import.meta.dirname, '../..');
const pathOf = (file: string, values: Values): string =>
  join(file.startsWith('$') ? '' : ROOT, fill(file, values));

async function edit({ from, to, replace }: EditStep, values: Values): Promise<Taken> {
  const text = await readFile(pathOf(from, values), 'utf8');
  const edited = replace.reduce((done, [before, after]) => done.replaceAll(before, after), text);
  await writeFile(pathOf(to, values), edited);
  const request = replace.map(([before, after]) => `${before} → ${after}`).join('   ');
  return { request, answer: firstLines(edited), values: {} };
}

interface Call {
  readonly url: string;
  readonly init: RequestInit;
  /** The request in one line. */
  readonly line: string;
}

async function callOf(step: RequestStep, values: Values): Promise<Call> {
  const { method, token = 'TOKEN', json, file, key } = step;
  const url = fill(step.url, values);
  const body =
    file === undefined ? json && fill(JSON.stringify(json), values) : await readFile(pathOf(file, values));
  const headers = {
    ...(token === 'none' ? {} : { authorization: `Bearer ${fill(`$${token}`, values)}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(file === undefined ? {} : { 'content-type': 'text/csv' }),
    ...(key === undefined ? {} : { 'idempotency-key': fill(key, values) }),
  };
  const sent =
    json === undefined ? (file ?? '') : excerptOf(JSON.parse(String(body))).replaceAll(/\s*\n\s*/g, ' ');
  return {
    url,
    init: { method, headers, ...(body === undefined ? {} : { body }) },
    line: `${method} ${url.replace(/^https?:\/\/[^/]+/, '')}  ${sent}`.trimEnd(),
  };
}

/** What a refusal says: its sentence, or the problems of single fields. */
function reasonOf(text: string): string {
  try {
    const { detail, code, request_id } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const said = typeof detail === 'string' ? detail : JSON.stringify(detail);
    return `${said} (${[code, request_id].filter((part) => part !== undefined).join(', ')})`;
  } catch {
    return firstLines(text);
  }
}

async function send({ url, init, line }: Call, hint: string, refused = false): Promise<Response> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    ({ message, cause }: Error) => {
      const why = cause instanceof Error ? cause.message : message;
      throw new StepFailed(
        `${new URL(url).origin} does not answer: ${why}. Start the service with "npm start" in another terminal.`,
      );
    },
  );
  if (response.ok === refused)
    throw new StepFailed(
      `${line}\nwas answered ${response.status}: ${reasonOf(await response.text())}${hint}`,
    );
  return response;
}

/** The values that the answer has for later steps, and the names of those that it does not have. */
function valuesIn(text: string, { take = {} }: RequestStep): { values: Values; missing: string[] } {
  const found = Object.entries(take).map(([name, field]) => [name, firstOf(text, field)] as const);
  return {
    values: Object.fromEntries(
      found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    missing: found.flatMap(([name, value]) => (value === undefined ? [take[name] ?? name] : [])),
  };
}

async function save(name: string, response: Response, values: Values): Promise<string> {
  const path = join(values['FILES'] ?? '', name);
  const bytes = Buffer.from(await response.arrayBuffer());
  await writeFile(path, bytes);
  return name.endsWith('.pdf') ? `${name}: ${bytes.length} bytes` : firstLines(bytes.toString('utf8'));
}

async function request(step: RequestStep, values: Values): Promise<Taken> {
  const call = await callOf(step, values);
  const hint = step.hint === undefined ? '' : `\n${step.hint}`;
  const until = performance.now() + (step.url.includes('wait=') ? WAIT_MAX_MS : 0);
  for (;;) {
    const response = await send(call, hint, step.refused);
    if (step.save !== undefined)
      return { request: call.line, answer: await save(step.save, response, values), values: {} };
    const text = await response.text();
    const found = valuesIn(text, step);
    if (found.missing.length === 0)
      return {
        request: call.line,
        answer: excerptOf(JSON.parse(text), step.show, step.items),
        values: found.values,
      };
    if (performance.now() >= until)
      throw new StepFailed(
        `${call.line}\nThe answer has no ${found.missing.join(', ')}: ${firstLines(text)}${hint}`,
      );
  }
}

/**
 * Takes one step.
 *
 * @param values those of earlier steps, with API, DEMO, FILES and TOUR
 * @throws StepFailed
 */
export const takeStep = (step: Step, values: Values): Promise<Taken> =>
  'from' in step ? edit(step, values) : request(step, values);
