/**
 * The time limit of a request. Its signal is made on first use, because most requests never need one.
 */
export class Deadline {
  private readonly timer: NodeJS.Timeout;
  private controller: AbortController | undefined;
  private over = false;

  /** @param ms from now on */
  constructor(ms: number) {
    this.timer = setTimeout(() => this.pass(), ms);
  }

  /** Whether the time is over or the client has disconnected. */
  get passed(): boolean {
    return this.over;
  }

  /** Aborts when the deadline passes. After the deadline it is already aborted. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.over) this.controller.abort();
    return this.controller.signal;
  }

  /** Makes the deadline pass now. */
  pass(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  /** Stops the timer. */
  end(): void {
    clearTimeout(this.timer);
  }
}
