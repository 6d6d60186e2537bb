/** What somebody finds who has a dump of the database, or the log. */
import { runOn } from './test-server.ts';

/**
 * Every row of every table as text, and each binary value as the bytes that it has.
 *
 * @param left tables that are left out
 */
export const dumpOf = (adminUrl: string, left: readonly string[] = []): Promise<string> =>
  runOn(adminUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all($1)",
      [left],
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      for (const { row } of rows) {
        parts.push(row);
        for (const [, hex = ''] of row.matchAll(/\\x((?:[0-9a-f]{2})+)/g))
          parts.push(Buffer.from(hex, 'hex').toString('latin1'));
      }
    }
    return parts.join('\n');
  });

/** In base64 within a longer text, whatever precedes it there, and in base64url. */
function base64Of(bytes: Buffer): string[] {
  const within = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return all.slice(Math.ceil((before * 8) / 6), end);
  });
  return within.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** The secrets, by their names, that a text has in clear or in a usual encoding. */
export function foundIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const bytes = Buffer.from(secret);
    const hex = bytes.toString('hex');
    const forms = [secret, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64Of(bytes)];
    return forms.some((form) => text.includes(form)) ? [name] : [];
  });
}
