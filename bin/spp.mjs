#!/usr/bin/env node
// Starts the service on a Node that can run it. Plain JavaScript without dependencies, so that any Node
// from 20 on gets as far as this and can say what is missing. The sources are TypeScript, which Node runs
// as it is from 24 on; `npm ci` installs one beside them, whatever the machine's own Node is.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(root, 'src', 'main.ts');

/** The Node to run on: the repository's own, else this one when it is new enough. */
function chooseNode() {
  const own = join(root, 'node_modules', 'node', 'bin', 'node');
  if (own === process.execPath) return own;
  // Asked, not just looked for: one built for another C library is there and does not run.
  if (existsSync(own) && spawnSync(own, ['--version']).status === 0) return own;
  return Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR ? process.execPath : undefined;
}

/** Hands over to `node`: becomes it where Node can do that, else stays as its go-between. */
function run(node, args) {
  if (typeof process.execve === 'function') process.execve(node, [node, ...args], process.env);
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches the child by itself; twice would read as impatience.
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on('error', (error) => stop(`The service cannot be started: ${error.message}.`));
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
  );
}

function stop(message) {
  console.error(message);
  process.exit(1);
}

if (!existsSync(join(root, 'node_modules'))) stop('The dependencies are not installed: run "npm ci" first.');
const node = chooseNode();
if (node === undefined) {
  stop(
    `This is Node ${process.versions.node}; the service needs Node ${NEEDED_MAJOR} or newer, and the one that ` +
      '"npm ci" installs beside it (node_modules/node) is not there or does not run on this machine.\n' +
      `Run "npm ci" again with install scripts allowed, or start it with Node ${NEEDED_MAJOR}.`,
  );
}
// What was compiled once need not be again: a third off every start but the first. Where the folder cannot be
// written Node goes without.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compile');
// Left to itself V8 keeps hundreds of megabytes of garbage on a machine with much memory; the service needs some
// eighty for each long run beside its own fifty. Below 2 GiB it collects so eagerly that runs take a tenth longer.
// NODE_OPTIONS may say otherwise.
const sized = /--max[-_]old[-_]space[-_]size/.test(process.env['NODE_OPTIONS'] ?? '');
const heap = sized ? [] : ['--max-old-space-size=2048', '--max-semi-space-size=16'];
run(node, [...heap, main, ...process.argv.slice(2)]);
