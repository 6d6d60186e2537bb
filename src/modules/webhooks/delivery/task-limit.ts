/** Runs at most `max` tasks at the same time. Further tasks wait and run in the order of their arrival. */
export class TaskLimit {
  private readonly max: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(max: number) {
    this.max = max;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
