/**
 * Conditions and the values that they take, numbered in the order in which they are added. Filters that are not
 * asked for are left out of the text: `$1 is null or …` would cost the index as soon as a plan is reused.
 */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly texts: string[] = [];

  add(text: (parameter: string) => string, value: unknown): void {
    this.values.push(value);
    this.texts.push(text(`$${this.values.length}`));
  }

  /** The parameter of a value that stands outside the conditions, for example a limit. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  fixed(text: string): void {
    this.texts.push(text);
  }

  get text(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }
}
