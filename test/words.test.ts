/** Phrases that a reader has to read twice. What to write instead is in CONTRIBUTING.md, "Style". */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, ROOT } from './support/source-tree.ts';

const RIDDLES: readonly RegExp[] = [
  /\bwhoever\b/i,
  // As a value of `waiting_on` it is quoted.
  /(?<![`'"])\bnobody\b(?![`'"])/i,
  /\ball the same\b/i,
  /\b(?:is|are|was|were|be|been) told of\b/i,
  /\bwhat is told\b/i,
  /\bof its own accord\b/i,
  /\bunder way\b/i,
  /\bpass(?:es|ed|ing)? over\b/i,
  /\b(?:come|comes|came) to nothing\b/i,
  /\bin vain\b/i,
  /\bmore to say\b/i,
  /\b(?:lies|lie|lay) still\b/i,
  /\bbut for (?:the|a|an|one|those|its|their)\b/i,
];

/** The page of style shows them, this file lists them. */
const EXAMPLES = ['CONTRIBUTING.md', 'test/words.test.ts'];

const files = ['src', 'demo', 'test', 'bench', 'scripts', 'db', 'docs']
  .flatMap(filesBelow)
  .concat('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md')
  .filter((path) => /\.(?:ts|mjs|sql|md)$/.test(path) && !EXAMPLES.includes(path));

/** Phrases that are not English where sellers read them. */
const FOREIGN: readonly RegExp[] = [
  /\bby itself\b/i,
  /(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b)/i,
  /\bas events tell\b/i,
  /\btells of\b/i,
  /\banother \w+ than\b/i,
];

/** The texts of a JSON value. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

test('no text of the API description has a phrase that is not English', () => {
  const texts = new Set(textsOf(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))));
  expect([...texts].filter((text) => FOREIGN.some((phrase) => phrase.test(text)))).toEqual([]);
});

test('no comment, text or page has a phrase of the list', () => {
  const found = files.flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        RIDDLES.some((riddle) => riddle.test(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
});
