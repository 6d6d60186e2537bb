// Parts of `pg` that it publishes under `pg/lib/*` but has no types for; only batch.ts uses them.
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): unknown };
  export default utils;
}
