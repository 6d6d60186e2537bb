export { backUpEmbedded } from './backup.ts';
export { EmbeddedServerError } from './embedded-server-error.ts';
export { runningUrl } from './running-server.ts';
export type { EmbeddedOptions, EmbeddedServer } from './start-embedded.ts';
export { startEmbedded } from './start-embedded.ts';
