export interface Operator {
  readonly name: string | null;
  readonly abn: string | null;
  readonly address: string | null;
}
