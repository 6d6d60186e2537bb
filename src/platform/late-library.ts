import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * A library that is loaded with its first use, because it is slow to load and few requests need it: such libraries
 * together would take a tenth of each start. Node keeps what it has loaded.
 */
export const lateLibrary =
  <Library>(name: string) =>
  (): Library =>
    load(name) as Library;
