/**
 * Shows steps as lines for a shell. They must survive pasting into bash and into zsh: no comments, every URL in
 * quotes, and no failure that a pipe hides.
 */
import type { Addresses } from './addresses.ts';
import type { RequestStep, Step } from './step.ts';

/** The lines before the first step: addresses, a folder for files, and a function that reads a field. */
export const preamble = ({ api, demo }: Addresses): string =>
  [
    `API=${api}/api/v1`,
    `DEMO=${demo}`,
    'FILES=$(mktemp -d)',
    'TOUR=$(date +%s)',
    // GNU and BSD differ.
    'SOON=$(date -u -d "@$((TOUR + 259200))" +%FT%TZ 2>/dev/null || date -u -r "$((TOUR + 259200))" +%FT%TZ)',
    String.raw`field() { grep -o "\"$1\":\"[^\"]*\"" "$FILES/answer.json" | head -n 1 | cut -d '"' -f 4; }`,
  ].join('\n');

/** JSON in single quotes; in double quotes when it has values of earlier steps. */
function quoted(json: object): string {
  const text = JSON.stringify(json);
  return text.includes('$') ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`;
}

function requestLines(step: RequestStep): string {
  const { method, url, token = 'TOKEN', json, file, key, save, take = {} } = step;
  const headers = [
    ...(token === 'none' ? [] : [`"Authorization: Bearer $${token}"`]),
    ...(json === undefined ? [] : ["'Content-Type: application/json'"]),
    ...(file === undefined ? [] : ["'Content-Type: text/csv'"]),
    ...(key === undefined ? [] : [`"Idempotency-Key: ${key}"`]),
  ].map((header) => `-H ${header}`);
  // With -f a refused download ends with its status instead of a file that holds the error.
  const command = `curl ${save === undefined ? '-sS' : '-fsS'}${method === 'GET' ? '' : ` -X ${method}`} "${url}"`;
  const body = [
    ...(json === undefined ? [] : [`-d ${quoted(json)}`]),
    ...(file === undefined ? [] : [`--data-binary "@${file}"`]),
  ];
  const end = save === undefined ? ` -w '\\n' | tee "$FILES/answer.json"` : ` -o "$FILES/${save}"`;
  const lines = [command, ...headers, ...body].join(' \\\n  ');
  const shown =
    save === undefined ? [] : [save.endsWith('.pdf') ? `ls -l "$FILES/${save}"` : `cat "$FILES/${save}"`];
  const taken = Object.entries(take).flatMap(([name, field]) => [
    `${name}=$(field ${field})`,
    `: "\${${name}:?missing in the answer above}"`,
  ]);
  return [`${lines}${end}`, ...shown, ...taken].join('\n');
}

/** The lines of one step. */
export function curlOf(step: Step): string {
  if (!('from' in step)) return requestLines(step);
  const edits = step.replace.map(([before, after]) => `-e 's/${before.replaceAll('$', '\\$')}/${after}/'`);
  return `sed ${edits.join(' ')} "${step.from}" > "${step.to}"\ncat "${step.to}"`;
}
