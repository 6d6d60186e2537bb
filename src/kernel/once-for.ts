/**
 * Remembers what is made of an object for as long as the object is in use.
 *
 * @param make depends on its argument alone
 * @returns the same function, which calls `make` once for each object
 */
export function onceFor<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, { readonly made: Made }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = { made: make(key) };
      known.set(key, found);
    }
    return found.made;
  };
}
