import { expect, test } from 'vitest';
import { integer } from '../src/platform/db/columns.ts';
import { command, observeStatements, part, statement } from '../src/platform/db/statement.ts';
import { nameOf, statementsIn } from './statement-templates.ts';

test('a statement has the same name in its source and when it is made', () => {
  const source = `
    // don't \`stumble\` over comments
    const text = \`select \${name}\`;
    db.all(statement({ n: integer })\`
      select count(*) as n
        from thing
       where a = \${a} and \${allOf(part\`b = \${{ b }.b}\`)}\`);
    db.run(command\`delete from thing where a = \${a}\`);`;
  const made: string[] = [];
  observeStatements((pieces) => made.push(nameOf(pieces)));
  statement({ n: integer })`
      select count(*) as n
        from thing
       where a = ${1} and ${part`b = ${2}`}`;
  command`delete from thing where a = ${1}`;
  observeStatements(undefined);
  expect(statementsIn(source)).toEqual(made);
});
