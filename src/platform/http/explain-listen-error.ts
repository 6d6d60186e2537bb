/** Explains why a server cannot listen, and what to do. */
const EXPLANATIONS: Record<string, (port: number, variable: string) => string> = {
  EADDRINUSE: (port, variable) =>
    `Port ${port} is taken by another program. Stop that one, or set ${variable} to a free port (${variable}=${another(port)} npm start).`,
  EACCES: (port, variable) =>
    `Port ${port} may not be used by this user: ports below 1024 are reserved. Set ${variable} to one from 1024 on.`,
  EADDRNOTAVAIL: (port) =>
    `The address to listen on at port ${port} is none of this machine's. Set HOST to one of its own, or to 0.0.0.0.`,
};

/** Another port to try. It is not the next one, which is probably the second listener of the service. */
function another(port: number): number {
  return port > 60_000 ? port - 1_000 : port + 1_000;
}

/**
 * One sentence for the operator about a failed `listen`.
 *
 * @param error - what `listen` threw
 * @param port - the port that was asked for
 * @param variable - the environment variable that sets it, for example `PORT`
 * @returns undefined when the error is not one of listening
 */
export function explainListenError(error: unknown, port: number, variable: string): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return EXPLANATIONS[error.code]?.(port, variable);
}
