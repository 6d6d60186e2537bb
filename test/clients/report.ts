/** Where the programs work. */
export interface Access {
  readonly url: string;
  /** Service token of a seller without products. */
  readonly seller: string;
  /** Service token of a seller with a paid settlement. */
  readonly trader: string;
  /** Asks until there is an answer. */
  wait<T>(ask: () => Promise<T | undefined>): Promise<T>;
}

/** What the programs have seen. */
export interface Report {
  readonly created: number;
  readonly order_status: string;
  /** Code of a second acceptance. */
  readonly refused: string | undefined;
  readonly settlement_status: string;
  readonly payable_minor: number;
}
