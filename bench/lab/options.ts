export interface BenchOptions {
  readonly quick: boolean;
  readonly full: boolean;
}
