import { SETTINGS } from '../../src/config.ts';
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

/** docs/configuration.md: the table that the environment is read by. */
export function configurationDoc(): string {
  const settings = Object.entries(SETTINGS) as [string, Described][];
  const rows = settings.map(([name, setting]) => [
    code(name),
    cell(setting.doc),
    cell(setting.allowed),
    fallbackOf(setting),
    [setting.requiredInProduction ? 'required in production' : '', setting.secret ? 'secret' : '']
      .filter(Boolean)
      .join(', '),
  ]);
  return page(
    'Configuration',
    'Environment variables, read once at the start. A value that is not allowed, or one that production needs and does not have, refuses to start with its name and what is allowed. In development every variable may be absent.',
    table(['variable', 'what it is', 'allowed', 'default', ''], rows),
  );
}
