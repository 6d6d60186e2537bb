/** The provider's encoding of parameters: `a[b][0]=c`, in a body or a query. */

type FormValue = string | FormObject;
export interface FormObject {
  readonly [name: string]: FormValue | undefined;
}

/** Reads parameters. Lists are objects with the keys `0`, `1` and so on. */
export function readForm(text: string): FormObject {
  const read: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]$/).filter((part) => part !== '');
    const last = path.pop();
    let at = read;
    for (const part of path) {
      at[part] ??= Object.create(null);
      const inner = at[part];
      if (typeof inner !== 'object') break;
      at = inner as Record<string, unknown>;
    }
    if (last !== undefined) at[last] = value;
  }
  return read as FormObject;
}

export const textIn = (form: FormObject, name: string): string => {
  const value = form[name];
  return typeof value === 'string' ? value : '';
};

export const objectIn = (form: FormObject, name: string): FormObject => {
  const value = form[name];
  return typeof value === 'object' ? value : {};
};

/** The texts of an object, for metadata. */
export const textsIn = (form: FormObject, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectIn(form, name)).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  );
