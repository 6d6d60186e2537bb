/** Asks a clamd scanner about bytes, one connection a file. Source: man clamd, command INSTREAM. */
import { connect } from 'node:net';

const TIMEOUT_MS = 30_000;
const CHUNK_BYTES = 64 * 1024;
const ANSWER_BYTES_MAX = 4_096;

/** With `AlertExceedsMax` clamd reports so what it has not scanned whole. */
const LIMIT = 'Heuristics.Limits.Exceeded';

type ScanResult = 'clean' | 'infected' | 'unavailable';

const lengthOf = (bytes: number): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
};

/** An error, a limit of the scanner and a lost connection are no finding, so they are `unavailable`. */
function verdictOf(answer: string): ScanResult {
  const text = answer.replace(/\0+$/, '').trim();
  if (text === 'stream: OK') return 'clean';
  const [, finding] = /^stream: (.+) FOUND$/.exec(text) ?? [];
  return finding === undefined || finding.startsWith(LIMIT) ? 'unavailable' : 'infected';
}

/** @param url `clamd://host:port` or `unix:///path` */
export function scanBytes(url: string, bytes: Buffer, timeoutMs = TIMEOUT_MS): Promise<ScanResult> {
  const { protocol, hostname, port, pathname } = new URL(url.replace(/^clamd:/, 'http:'));
  const socket = protocol === 'unix:' ? connect(pathname) : connect(Number(port || 80), hostname);
  return new Promise((resolve) => {
    let answer = '';
    const end = (result: ScanResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    // A timeout of the socket would begin anew with each byte.
    const timer = setTimeout(() => end('unavailable'), timeoutMs);
    socket.setEncoding('utf8');
    socket.on('error', () => end('unavailable'));
    socket.on('data', (part: string) => {
      answer += part;
      if (answer.includes('\0') || answer.length > ANSWER_BYTES_MAX) end(verdictOf(answer));
    });
    socket.on('end', () => end(verdictOf(answer)));
    socket.on('connect', () => {
      socket.write('zINSTREAM\0');
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        const chunk = bytes.subarray(at, at + CHUNK_BYTES);
        socket.write(lengthOf(chunk.length));
        socket.write(chunk);
      }
      socket.write(lengthOf(0));
    });
  });
}
