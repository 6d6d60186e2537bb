import type { AnyLoop, WorkLoop } from '../../kernel/route.ts';
import type { Services } from '../services.ts';

interface LoopDef {
  readonly name: string;
  readonly create: (services: Services) => WorkLoop;
}

/** Declares a loop of a module; its work must be safe to run twice, and on several workers. */
export function defineLoop(loop: LoopDef): AnyLoop {
  return loop as AnyLoop;
}

/** Makes a declared loop, which works after `start`. */
export function createLoop(services: Services, loop: AnyLoop): WorkLoop {
  return (loop as LoopDef).create(services);
}
