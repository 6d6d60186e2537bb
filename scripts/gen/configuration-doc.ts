import { SETTINGS } from '../../src/config.ts';
import type { ModuleDef } from '../../src/kernel/route.ts';
import { cell, code, page, table } from './markdown.ts';

interface Described {
  readonly doc: string;
  readonly allowed: string;
  readonly fallback?: unknown;
  readonly requiredInProduction?: true;
  readonly secret?: true;
}

function fallbackOf({ fallback }: Described): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return '';
  if (typeof fallback === 'object' && fallback !== null && 'enabled' in fallback)
    return code(fallback.enabled ? 'on' : 'off');
  return code(String(fallback));
}

function settingsTable(settings: object): string {
  const rows = (Object.entries(settings) as [string, Described][]).map(([name, setting]) => [
    code(name),
    cell(setting.doc),
    cell(setting.allowed),
    fallbackOf(setting),
    [setting.requiredInProduction ? 'required in production' : '', setting.secret ? 'secret' : '']
      .filter(Boolean)
      .join(', '),
  ]);
  return table(['variable', 'what it is', 'allowed', 'default', ''], rows);
}

/** docs/configuration.md: the tables that the environment is read by, those of the core and of the modules. */
export function configurationDoc(modules: readonly ModuleDef[]): string {
  const own = modules.flatMap(({ title, settings }) =>
    settings === undefined ? [] : [`## ${title}\n\n${settingsTable(settings.table)}`],
  );
  return page(
    'Configuration',
    'Environment variables, read once at the start. A value that is not allowed, or one that production needs and does not have, refuses to start with its name and what is allowed. In development every variable may be absent. A variable that is a secret may be in a file: `SECRETS_KEY_FILE` names the file of `SECRETS_KEY`, as Docker, Kubernetes and systemd hand secrets over; a line break at its end does not count.',
    settingsTable(SETTINGS),
    ...own,
  );
}
