export { backUpEmbedded } from './backup.ts';
export { EmbeddedServerError } from './embedded-server-error.ts';
export { runningUrl } from './running-server.ts';
export { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './start-embedded.ts';
