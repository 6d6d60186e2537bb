/** Work in turns: so much at the same time, the rest in the order in which it came. */
export class Turns {
  private readonly max: number;
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** @param work never rejects */
  add(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.next();
  }

  private next(): void {
    while (this.running < this.max) {
      const work = this.waiting.shift();
      if (work === undefined) return;
      this.running += 1;
      void work().finally(() => {
        this.running -= 1;
        this.next();
      });
    }
  }
}
