/** Records which statements tests make, for the list of those that no test makes (scripts/test.ts). */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf } from '../../scripts/statement-templates.ts';
import { observeStatements } from '../../src/platform/db/statement.ts';

const folder = process.env['STATEMENTS_MADE'];
if (folder !== undefined) {
  const file = join(folder, String(process.pid));
  const seen = new WeakSet<readonly string[]>();
  observeStatements((pieces) => {
    if (seen.has(pieces)) return;
    seen.add(pieces);
    // As it stands in the source, with its escapes.
    appendFileSync(file, `${nameOf((pieces as TemplateStringsArray).raw ?? pieces)}\n`);
  });
}
