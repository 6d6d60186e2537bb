/** Writes the walk-through: each step as lines for a shell, with the answer that a run of the tour got. */
import { DEFAULT_ADDRESSES } from './addresses.ts';
import { curlOf, preamble } from './curl.ts';
import type { Part, Step } from './step.ts';

export interface Shown {
  readonly part: Part;
  readonly step: Step;
  readonly answer: string;
}

const block = (kind: string, text: string): string => `\`\`\`${kind}\n${text}\n\`\`\``;

const HEAD = `# Walk-through

<!-- Written by "npm run tour -- --yes --write docs/walk-through.md"; do not edit. -->

A seller's first day, with curl. \`npm run tour\` does the same as a program and needs no pasting. The answers here are those of a real run; \`…\` marks what is left out.

Start the service with \`npm start\`. Open another terminal in the same folder and paste one block after the other, into bash or zsh. Every answer is printed, also a refusal, which says what is wrong. Files go to a temporary folder. The walk-through can be repeated: each time it makes a new shop.

## Before the first request

\`field\` reads a value from the last answer. \`SOON\` is in three days.

${block('sh', preamble(DEFAULT_ADDRESSES))}
`;

/** The page in Markdown. */
export function pageOf(shown: readonly Shown[]): string {
  const parts = [...new Set(shown.map(({ part }) => part))];
  let number = 0;
  const steps = (part: Part): string[] =>
    shown
      .filter((one) => one.part === part)
      .map(({ step, answer }) => {
        number += 1;
        const note = step.note === undefined ? [] : [step.note];
        const title = `### ${number}. ${step.title}`;
        return [title, ...note, block('sh', curlOf(step)), block('text', answer)].join('\n\n');
      });
  const texts = parts.flatMap((part) => [`## ${part.title}`, part.about, ...steps(part)]);
  return `${[HEAD.trimEnd(), ...texts].join('\n\n')}\n`;
}
