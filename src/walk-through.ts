/** The walk-through that a start in development prints; each line can be pasted as it is. */
export function walkThrough(_apiUrl: string, _demoUrl: string): string {
  return '';
}
