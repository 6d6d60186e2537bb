export { backUpEmbedded } from './backup.ts';
export { runningUrl } from './running-server.ts';
export { type EmbeddedServer, startEmbedded } from './start-embedded.ts';
