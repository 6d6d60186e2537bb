/**
 * The hash chain of a seller's activity log: each entry has the hash of the one before, so a changed, deleted or added
 * entry breaks the chain. Source: docs/design/activity-log.md#the-chain.
 */
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { sha256Hex } from '../../kernel/digest.ts';

/** The hash before the first entry. */
export const NO_HASH = '0'.repeat(64);

/** The canonical form of an entry: keys sorted, no blanks, no key that is absent or null. */
export const canonicalEntry = (entry: object): string =>
  canonicalJson(Object.fromEntries(Object.entries(entry).filter(([, value]) => value != null)));

/** The hash of an entry: SHA-256 of its canonical form without the hash. */
export const hashOf = (entry: object): string => sha256Hex(canonicalEntry({ ...entry, hash: null }));

/** A place in the chain: the number and the hash of an entry. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/** What an entry of the chain has besides its content. */
export interface Sealed extends ChainPlace {
  readonly prev_hash: string;
}

/** Follows a chain entry by entry, from the place before the first one. */
export class ChainCheck {
  /** The last place up to which the chain is whole. */
  at: ChainPlace;
  /** Number of the first entry that was changed, or is missing. */
  firstBreak: number | undefined;

  constructor(before: ChainPlace) {
    this.at = before;
  }

  /** @returns whether the chain is whole up to this entry */
  follow(entry: Sealed): boolean {
    const { at } = this;
    if (this.firstBreak !== undefined) return false;
    if (entry.seq !== at.seq + 1) this.firstBreak = at.seq + 1;
    else if (entry.prev_hash !== at.hash || hashOf(entry) !== entry.hash) this.firstBreak = entry.seq;
    else this.at = { seq: entry.seq, hash: entry.hash };
    return this.firstBreak === undefined;
  }

  /** Compares the end of the chain with the place where it must end. */
  end(head: ChainPlace): void {
    const { at } = this;
    if (this.firstBreak !== undefined) return;
    if (at.seq !== head.seq) this.firstBreak = Math.min(at.seq, head.seq) + 1;
    else if (at.hash !== head.hash) this.firstBreak = head.seq;
  }
}
