import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';

describe('the deadline of a request', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('passes with its time, for callers that asked before and after', () => {
    const deadline = new Deadline(1_000);
    const before = deadline.signal;
    vi.advanceTimersByTime(999);
    expect([deadline.passed, before.aborted]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([deadline.passed, before.aborted, deadline.signal]).toEqual([true, true, before]);
    const unasked = new Deadline(1);
    vi.advanceTimersByTime(1);
    expect(unasked.signal.aborted).toBe(true);
  });

  it('passes at once when the client disconnects', () => {
    const deadline = new Deadline(1_000);
    const { signal } = deadline;
    deadline.pass();
    expect([deadline.passed, signal.aborted, vi.getTimerCount()]).toEqual([true, true, 0]);
  });

  it('never passes once the request has ended', () => {
    const deadline = new Deadline(1_000);
    const { signal } = deadline;
    deadline.end();
    vi.advanceTimersByTime(10_000);
    expect([deadline.passed, signal.aborted]).toEqual([false, false]);
  });
});
