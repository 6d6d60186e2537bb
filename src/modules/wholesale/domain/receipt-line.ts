export const REJECT_REASONS = ['damaged', 'wrong_item', 'expired', 'other'] as const;
export interface ReceiptLine {
  readonly purchase_line_id: string;
  readonly good: number;
  readonly rejected: readonly {
    readonly quantity: number;
    readonly reason: (typeof REJECT_REASONS)[number];
  }[];
}
