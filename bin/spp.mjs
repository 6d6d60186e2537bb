#!/usr/bin/env node
// Starts the service on a Node that can run it. Plain JavaScript without dependencies, so that every Node from 20 on
// can run this file and say what is missing. Node runs the TypeScript sources from 24 on; `npm ci` installs such a
// Node in the repository.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED_MAJOR = 24;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const main = join(root, 'src', 'main.ts');

/** The Node of the repository, else this one when it is new enough. */
function chooseNode() {
  const own = join(root, 'node_modules', 'node', 'bin', 'node');
  if (own === process.execPath) return own;
  // A Node built for another C library exists but does not run, so try it.
  if (existsSync(own) && spawnSync(own, ['--version']).status === 0) return own;
  return Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR ? process.execPath : undefined;
}

/** Replaces this process by `node`, or where that is not possible runs it as a child. */
function run(node, args) {
  if (typeof process.execve === 'function') process.execve(node, [node, ...args], process.env);
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to the child too; a second signal would force the exit.
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on('error', (error) => stop(`The service cannot be started: ${error.message}.`));
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
  );
}

/** In production every line of the output is JSON. */
function stop(message) {
  const line = { level: 'fatal', time: new Date().toISOString(), message };
  console.error(process.env['APP_ENV'] === 'production' ? JSON.stringify(line) : message);
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
// Caches compiled code, which saves a third of every later start. Where the folder cannot be written, Node does
// without the cache.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compile');
// By default V8 keeps hundreds of megabytes of garbage on a machine with much memory; the service needs 50 MB and
// about 80 MB for each long run. With a limit below 2 GiB the collector makes runs a tenth slower. NODE_OPTIONS wins.
const sized = /--max[-_]old[-_]space[-_]size/.test(process.env['NODE_OPTIONS'] ?? '');
const heap = sized ? [] : ['--max-old-space-size=2048', '--max-semi-space-size=16'];
const sources = pathToFileURL(join(root, 'bin', 'find-sources.mjs')).href;
run(node, [...heap, '--import', sources, main, ...process.argv.slice(2)]);
