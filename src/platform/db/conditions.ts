import { foldText } from '../../kernel/fold-text.ts';

/** Most words of a search: each one scans the text again. */
const WORDS_MAX = 10;

/**
 * Conditions with their parameters, numbered in the order in which they are added. A filter that is not given is left
 * out of the text: `$1 is null or …` would lose the index as soon as a plan is reused.
 */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly texts: string[] = [];

  add(text: (parameter: string) => string, value: unknown): void {
    this.values.push(value);
    this.texts.push(text(`$${this.values.length}`));
  }

  /** The parameter of a value outside the conditions, for example a limit. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Every word of a search must occur in `search_text`, which holds folded text. */
  addSearch(search: string | undefined): void {
    const words = foldText(search ?? '')
      .split(/\s+/)
      .filter((word) => word !== '')
      .slice(0, WORDS_MAX);
    if (words.length > 0)
      this.add((p) => `(select bool_and(strpos(search_text, w) > 0) from unnest(${p}::text[]) w)`, words);
  }

  fixed(text: string): void {
    this.texts.push(text);
  }

  get text(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }
}
