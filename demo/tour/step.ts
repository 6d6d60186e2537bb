/**
 * A step of the tour: one request, or one edit of a file. The program sends it, and the page of the walk-through
 * shows it as a line of curl, so both do the same. `$NAME` in a text stands for a value of an earlier step.
 */

/** Whose token the request carries: the service's, the marketplace's, or none. */
type Token = 'TOKEN' | 'SESSION' | 'none';

interface Titled {
  readonly title: string;
  /** Explains what the reader cannot know yet. */
  readonly note?: string;
}

export interface RequestStep extends Titled {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  /** Default: the service's token. */
  readonly token?: Token;
  readonly json?: object;
  /** A CSV file that is sent. */
  readonly file?: string;
  readonly key?: string;
  /** The file that gets the answer. */
  readonly save?: string;
  /** Values for later steps: the name of each, and the field of the answer that has it. The first such field counts. */
  readonly take?: Readonly<Record<string, string>>;
  /** The fields of the answer that are shown, such as `data.seller_sku`. */
  readonly show?: readonly string[];
  /** How many items of each list are shown. */
  readonly items?: number;
  /** The answer is a refusal, which the step shows. */
  readonly refused?: true;
  /** What to do when the request is refused, or when a value is not in the answer. */
  readonly hint?: string;
}

export interface EditStep extends Titled {
  readonly from: string;
  readonly to: string;
  /** Pairs of a text and its replacement. */
  readonly replace: readonly (readonly [string, string])[];
}

export type Step = RequestStep | EditStep;

export interface Part {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The part whose values it needs. */
  readonly after?: string;
  readonly steps: readonly Step[];
}

/** The values of earlier steps, by name. */
export type Values = Readonly<Record<string, string>>;

/**
 * Puts values in the places of their names.
 *
 * @throws when no earlier step has set a value
 */
export const fill = (text: string, values: Values): string =>
  text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no step has set ${name}`);
    return value;
  });

/** The first text that a field has in an answer, as `field` of the walk-through finds it. */
export const firstOf = (answer: string, field: string): string | undefined =>
  new RegExp(`"${field}":"([^"]*)"`).exec(answer)?.[1];
