/**
 * The time that a request may take. Its signal is made when somebody asks for it: most requests are answered
 * long before, and nobody listens.
 */
export class Deadline {
  private readonly timer: NodeJS.Timeout;
  private controller: AbortController | undefined;
  private over = false;

  /** @param ms from now on */
  constructor(ms: number) {
    this.timer = setTimeout(() => this.pass(), ms);
  }

  /** Whether the time is over, or nobody waits for the answer any more. */
  get passed(): boolean {
    return this.over;
  }

  /** Aborted when the deadline passes, also when it has passed already. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.over) this.controller.abort();
    return this.controller.signal;
  }

  /** The time is over, now. */
  pass(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  /** It is not needed any more. */
  end(): void {
    clearTimeout(this.timer);
  }
}
