/** A reason may be a code, or the words of a person, which an erasure of the person would have to find. */
const CODE = /^[a-z]+(_[a-z]+)*$/;

/** The reason if it is a code, else null. */
export const reasonCode = (reason: string | null): string | null =>
  reason !== null && CODE.test(reason) ? reason : null;
