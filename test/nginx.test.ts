/** The configuration of nginx in deploy/, also as a running proxy before two servers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { productSettings } from '../src/modules/products/settings.ts';
import { freePort } from '../src/platform/embedded-postgres/server-process.ts';
import { ROOT } from './support/source-tree.ts';

/** A server that says how each request begins. */
async function listening(work: (method: string, socket: Socket) => void): Promise<number> {
  const server = createServer((request, response) => {
    work(request.method ?? '', request.socket);
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The options of an nginx in a folder. */
function nginxMain(folder: string, server: string): string[] {
  const at = (name: string): string => join(folder, name);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temp = paths.map((name) => `${name}_temp_path ${at(name)};`).join(' ');
  writeFileSync(at('nginx.conf'), `events {} http { access_log off; ${temp} ${server} }`);
  return ['-c', at('nginx.conf'), '-g', `daemon off; pid ${at('pid')}; error_log stderr;`];
}

describe('nginx', () => {
  const conf = readFileSync(join(ROOT, 'deploy/nginx/spp.conf'), 'utf8');
  const noNginx = spawnSync('nginx', ['-v']).error !== undefined;

  test('passes files of every size on, and waits longer than the longest synchronous run', () => {
    expect(conf).toMatch(/^ *client_max_body_size 0;$/m);
    const [, seconds] = /^ *proxy_read_timeout (\d+)s;$/m.exec(conf) ?? [];
    expect(Number(seconds)).toBeGreaterThan(productSettings.table.MAX_SYNC_SECONDS.fallback ?? Infinity);
  });

  test.skipIf(noNginx)('sends a change once, also if the process dies that has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-nginx-'));
    const seen: string[] = [];
    // The first request of each method is read and gets no answer.
    const upstreams = await Promise.all(
      [0, 1].map(() =>
        listening((method, socket) => {
          seen.push(method);
          if (seen.filter((one) => one === method).length === 1) socket.destroy();
        }),
      ),
    );
    const port = await freePort(undefined);
    const server = conf
      .replace(
        'server 127.0.0.1:8080;',
        upstreams.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' '),
      )
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
      .replace(/^ *ssl_certificate.*$/gm, '');
    const main = nginxMain(folder, server);
    const child = spawn('nginx', main, { stdio: 'ignore' });
    onTestFinished(async () => {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    });
    const send = (method: string) =>
      fetch(`http://127.0.0.1:${port}/x`, { method, ...(/^P/.test(method) && { body: 'change' }) });
    await expect
      .poll(
        () =>
          send('HEAD').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(200);
    const answers = new Map<string, number>();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      answers.set(method, (await send(method)).status);
    expect(Object.fromEntries(answers)).toEqual({ GET: 200, POST: 502, PUT: 502, PATCH: 502, DELETE: 502 });
    expect(seen.filter((method) => method !== 'HEAD')).toEqual([
      'GET',
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
    ]);
  });

  test.skipIf(noNginx)('accepts the configuration', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-nginx-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const at = (name: string): string => join(folder, name);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=api', '-keyout', at('api.key')];
    expect(spawnSync('openssl', ['req', '-x509', ...key, '-out', at('api.pem')]).status).toBe(0);
    const server = conf.replace(/\/etc\/ssl\/\w+\/.*\.(pem|key);/g, (_path, end) => `${at(`api.${end}`)};`);
    expect(spawnSync('nginx', ['-t', ...nginxMain(folder, server)]).status).toBe(0);
  });
});
