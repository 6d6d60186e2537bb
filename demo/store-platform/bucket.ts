/** The leaky bucket of one store. */
export class Bucket {
  max = 2_000;
  restorePerSecond = 100;
  /** The number of queries that were refused because too little was left in the bucket. */
  throttled = 0;
  private readonly now: () => number;
  private available = 2_000;
  private at: number;

  constructor(now: () => number) {
    this.now = now;
    this.at = now();
  }

  /** Makes the bucket smaller, and empty. */
  drain(max: number, restorePerSecond: number): void {
    Object.assign(this, { max, restorePerSecond, available: 0, at: this.now() });
  }

  /** Makes the bucket so large, and full. */
  fill(max: number): void {
    Object.assign(this, { max, available: max });
  }

  take(cost: number): boolean {
    const seconds = (this.now() - this.at) / 1_000;
    this.available = Math.min(this.max, this.available + seconds * this.restorePerSecond);
    this.at = this.now();
    if (cost > this.available) {
      this.throttled += 1;
      return false;
    }
    this.available -= cost;
    return true;
  }

  /** What a query was charged and did not use. */
  giveBack(cost: number): void {
    this.available = Math.min(this.max, this.available + cost);
  }

  status() {
    const { max: maximumAvailable, restorePerSecond: restoreRate } = this;
    return { maximumAvailable, currentlyAvailable: Math.floor(this.available), restoreRate };
  }
}
