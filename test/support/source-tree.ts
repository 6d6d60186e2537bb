/** Reads the sources for the architecture tests: files, imports, and code without comments and texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The code with comments, regular expressions and texts blanked out, line by line as in the file. */
  readonly code: string;
  /** Contents of string and template literals. */
  readonly literals: readonly string[];
  /** Files inside the repository as paths from its root; packages by their specifier. */
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

/** Paths of all own files below a folder, from the root of the repository. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
    .sort();
}

/** A slash begins a regular expression where no value can stand before it. */
const BEFORE_REGEX =
  /(?:[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|delete|throw|await|yield))\s*$/;

interface Parts {
  readonly code: string;
  readonly literals: string[];
}

/** End of a quoted text that begins at `start`. */
function endOfQuoted(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** End of a regular expression that begins at `start`; a slash inside brackets does not end it. */
function endOfRegex(text: string, start: number): number {
  let inClass = false;
  let at = start + 1;
  for (; at < text.length && (inClass || text[at] !== '/') && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
  }
  return at + 1;
}

/** End of a template that begins at `start`; what stands in its `${…}` counts as text. */
function endOfTemplate(text: string, start: number): number {
  let at = start + 1;
  for (let depth = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith('${', at)) depth++;
    else if (depth > 0 && text[at] === '`') at = endOfTemplate(text, at) - 1;
    else if (depth > 0 && text[at] === '}') depth--;
    else if (depth === 0 && text[at] === '`') return at + 1;
  }
  return at;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

/** Splits a source into code and texts. Not a parser, but enough to search code for forbidden words. */
export function splitSource(text: string): Parts {
  const literals: string[] = [];
  let code = '';
  let at = 0;
  const skip = (end: number, isLiteral: boolean): void => {
    const part = text.slice(at, end);
    const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
    if (isLiteral) {
      literals.push(part.slice(1, -1));
      code += part.charAt(0) + blank(part.slice(1, -1)) + part.charAt(0);
    } else code += blank(part);
    at = end;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    if (text.startsWith('//', at)) skip(endOfLine(text, at), false);
    else if (text.startsWith('/*', at)) skip(text.indexOf('*/', at + 2) + 2, false);
    else if (char === "'" || char === '"') skip(endOfQuoted(text, at, char), true);
    else if (char === '`') skip(endOfTemplate(text, at), true);
    else if (char === '/' && BEFORE_REGEX.test(code.slice(-40))) skip(endOfRegex(text, at), false);
    else {
      code += char;
      at++;
    }
  }
  return { code, literals };
}

/** Matches in code with blank texts, so that the word "import" inside a text does not count. */
const IMPORT = /\b(?:import|export)\b[^;'"`]*?\bfrom\s*(['"]) *\1|\bimport\s*\(?\s*(['"]) *\2/g;

function importsOf(path: string, text: string, code: string): string[] {
  return [...code.matchAll(IMPORT)].map((match) => {
    const statement = text.slice(match.index, match.index + match[0].length);
    const specifier = /['"]([^'"]*)['"]$/.exec(statement)?.[1] ?? '';
    return specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier;
  });
}

/** Reads the TypeScript files below a folder; generated ones are left out. */
export function readSources(folder: string): SourceFile[] {
  return filesBelow(folder)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.gen.ts') && !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const parts = splitSource(text);
      return {
        path,
        text,
        ...parts,
        imports: importsOf(path, text, parts.code),
        isTest: path.endsWith('.test.ts'),
      };
    });
}
