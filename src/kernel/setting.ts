/** Kinds of settings of the environment: what is allowed, and how a text becomes a value. */
export interface Setting<T> {
  readonly doc: string;
  /** Text of what is allowed, shown when a value is refused. */
  readonly allowed: string;
  /** Returns the value, or undefined when the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Value when the variable is absent; undefined = no value. */
  readonly fallback?: T;
  readonly requiredInProduction?: true;
  readonly secret?: true;
}

export const setting = <T>(definition: Setting<T>): Setting<T> => definition;

export const text = (doc: string, more: Partial<Setting<string>> = {}): Setting<string> =>
  setting({ doc, allowed: 'any text', parse: (value) => value, ...more });
export const oneOf = <const T extends string>(doc: string, values: readonly T[], fallback: T): Setting<T> =>
  setting({
    doc,
    allowed: values.join(' | '),
    parse: (value) => values.find((candidate) => candidate === value),
    fallback,
  });
export const integer = (doc: string, min: number, max: number, fallback: number): Setting<number> =>
  setting({
    doc,
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) =>
      /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
    fallback,
  });
export const url = (
  doc: string,
  protocols: readonly string[],
  more: Partial<Setting<string>> = {},
): Setting<string> =>
  setting({
    doc,
    allowed: `a URL beginning with ${protocols.join(' or ')}`,
    parse: (value) =>
      URL.canParse(value) && protocols.some((protocol) => value.startsWith(protocol)) ? value : undefined,
    ...more,
  });
export const list = (
  doc: string,
  more: Partial<Setting<readonly string[]>> = {},
): Setting<readonly string[]> =>
  setting({
    doc,
    allowed: 'values separated by commas',
    parse: (value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    fallback: [],
    ...more,
  });
