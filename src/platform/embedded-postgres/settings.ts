import { totalmem } from 'node:os';

/** What the server keeps through a power cut: `full` everything it confirmed, `none` only for tests. */
export type Durability = 'full' | 'none';

const MIB = 1024 * 1024;

/** An eighth of the memory, because the service itself and the page cache need the rest of a small box. */
const SHARED_BUFFERS_SHARE = 8;
const SHARED_BUFFERS_MIN_MIB = 128;
const SHARED_BUFFERS_MAX_MIB = 256;

/**
 * The settings the embedded server runs with, given on its command line so that a new release brings its
 * own and nothing in an old data directory overrides them.
 *
 * @param port - the loopback port to listen on
 */
export function serverSettings(port: number, durability: Durability): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // TCP on loopback is enough, and a socket path may be longer than the 107 bytes the kernel takes.
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: `${sharedBuffersMib(totalmem())}MB`,
    maintenance_work_mem: '64MB',
    // Rewritten pages compress well; the built-in method is the one every build has.
    wal_compression: 'pglz',
    max_wal_size: '2GB',
    // Local disks seek cheaply; the default of 4 keeps the planner away from indexes.
    random_page_cost: '1.1',
    // Containers often give /dev/shm 64 MB only, where a parallel hash join fails outright.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Refused statements carry sellers' data in their messages: the log keeps the server's own events only.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // A service that was killed must not keep its long statements running, and their locks held.
    client_connection_check_interval: '1s',
    ...(durability === 'full'
      ? {
          fsync: 'on',
          synchronous_commit: 'on',
          full_page_writes: 'on',
          // A plan from when a table was nearly empty is kept until statistics are gathered anew: one that passes over
          // all orders of a seller for each that comes in, a thousand of them after the default minute.
          autovacuum_naptime: '10s',
        }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** `shared_buffers` in MiB for a machine with `totalBytes` of memory. */
export function sharedBuffersMib(totalBytes: number): number {
  const share = Math.floor(totalBytes / MIB / SHARED_BUFFERS_SHARE);
  return Math.min(SHARED_BUFFERS_MAX_MIB, Math.max(SHARED_BUFFERS_MIN_MIB, share));
}
