/** The program and its commands. */

import { operatorOutput } from './platform/log/operator-output.ts';
import { VERSION } from './platform/version.ts';
import { backUp, jobs, migrateOnly, type Running, start } from './start.ts';

/** After this time the process exits in any case, so that Ctrl-C ends everything within 10 s. */
const STOP_MS = 9_500;

const output = operatorOutput(process.env['APP_ENV'] === 'production');
const { print } = output;

function fatal(error: unknown): never {
  output.fail(error);
  process.exit(1);
}
process.on('uncaughtException', fatal);

async function serve(role: 'all' | 'api' | 'worker'): Promise<void> {
  const env = { ...process.env, ...(role === 'all' ? {} : { ROLE: role }) };
  const starting = new AbortController();
  let running: Running | undefined;
  let stopping = false;
  // Runs once. It cancels a start that is not complete.
  const stop = (reason: string, code: number): void => {
    if (stopping) return;
    stopping = true;
    print(`Stopping (${reason}); running requests end first.`);
    setTimeout(() => process.exit(1), STOP_MS).unref();
    starting.abort();
    running?.stop().then(() => process.exit(code), fatal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0));
  try {
    running = await start(env, output, starting.signal);
  } catch (error) {
    if (stopping) process.exit(0);
    throw error;
  }
  if (stopping) {
    await running.stop();
    process.exit(0);
  }
  running.lost.then((reason) => stop(reason, 1)).catch(fatal);
  const { apiUrl, internalUrl, greeting, logFile } = running;
  const log = logFile === undefined ? '' : `   log: ${logFile}`;
  print(
    `
Seller Partner Service: ${apiUrl ?? '(worker)'}   marketplace listener: ${internalUrl}   version ${VERSION}${log}`,
    { version: VERSION, node: process.version, api: apiUrl, internal: internalUrl },
  );
  if (greeting !== undefined) print(greeting);
}

interface Command {
  /** Its arguments, for `--help`. */
  readonly takes?: string;
  readonly does: string;
  readonly run: (...given: readonly string[]) => Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    does: 'runs API and worker in one process, or the part that ROLE names (the default)',
    run: () => serve('all'),
  },
  api: { does: 'runs the API', run: () => serve('api') },
  worker: { does: 'runs the worker', run: () => serve('worker') },
  migrate: { does: 'applies pending migrations and ends', run: () => migrateOnly(process.env, print) },
  backup: {
    takes: '<folder>',
    does: 'copies the running embedded database into a folder',
    run: (folder) => backUp(process.env, folder, print),
  },
  jobs: {
    takes: '[retry <kind>]',
    does: 'says how jobs, events and webhooks stand; or makes the failed jobs of a kind due now',
    run: async (...given) => say(await jobs(process.env, given)),
  },
  '--version': { does: 'says which release this is', run: async () => say(VERSION) },
  '--help': { does: 'says this', run: async () => say(help()) },
};

/** Writes an answer for a person, which is text in production too. */
const say = (text: string): void => void process.stdout.write(`${text}\n`);

function help(): string {
  const rows = Object.entries(COMMANDS).map(([name, { takes = '', does }]) => [`${name} ${takes}`, does]);
  const width = Math.max(...rows.map(([usage = '']) => usage.length)) + 2;
  return [
    `Seller Partner Service ${VERSION}`,
    '',
    'node bin/spp.mjs [command]',
    ...rows.map(([usage = '', does]) => `  ${usage.padEnd(width)}${does}`),
    '',
    'Settings are environment variables: docs/configuration.md. Running it: docs/operations.md.',
  ].join('\n');
}

/** An error that is shown as one sentence. */
const refusal = (sentence: string): Error => Object.assign(new Error(sentence), { name: 'ConfigError' });

const [name = 'serve', ...given] = process.argv.slice(2);
try {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw refusal(`Unknown command ${JSON.stringify(name)}; allowed: ${Object.keys(COMMANDS).join(' | ')}`);
  const places = command.takes?.split(' ').length ?? 0;
  const surplus = given.find((argument, place) => place >= places || argument.startsWith('-'));
  if (surplus !== undefined)
    throw refusal(
      `${name} does not take ${JSON.stringify(surplus)}; --help lists the commands. Settings are environment variables.`,
    );
  await command.run(...given);
} catch (error) {
  fatal(error);
}
