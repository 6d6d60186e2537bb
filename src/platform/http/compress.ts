/**
 * Compression of answers (docs/design/wire.md#compression), with `node:zlib`: the framework's plugin neither weakens
 * entity tags nor limits its work.
 */
import { pipeline, Readable } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Below this, the headers cost as much as compression saves. */
const BYTES_MIN = 1_024;
/**
 * Answers that are compressed at once. Compression runs on the four threads that also resolve names and hash; further
 * answers are sent as they are.
 */
const AT_ONCE_MAX = 3;
/** Low levels: most of the size goes, and compressing takes less time than making the answer. */
const GZIP = { level: 3 };
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 3,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};

const TEXTUAL =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|x-ndjson|ndjson|jsonl|xml)\b|image\/svg)/;

type Coding = 'br' | 'gzip';
type Payload = string | Buffer | Readable;

/** The coding that a client prefers (RFC 9110 section 12.5.3); undefined: as it is. */
function preferred(header: string): Coding | undefined {
  const weights = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
        const weight = parameters.find((part) => part.startsWith('q='));
        return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0] as const;
      }),
  );
  const of = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best: Coding = of('br') >= of('gzip') ? 'br' : 'gzip';
  return of(best) > 0 && of(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

const isLarge = (payload: Payload): boolean => payload instanceof Readable || payload.length >= BYTES_MIN;

/** Whether the answer depends on `Accept-Encoding`, and its coding. */
function codingOf(
  request: FastifyRequest,
  type: string | undefined,
  payload: Payload,
): { readonly varies: boolean; readonly coding?: Coding | undefined } {
  if (type === undefined || !isLarge(payload) || !TEXTUAL.test(type)) return { varies: false };
  const accepted = request.headers['accept-encoding'];
  return { varies: true, coding: accepted === undefined ? undefined : preferred(String(accepted)) };
}

/** The coded form has other bytes, so it cannot have the same strong tag. */
const weak = (etag: string): string => (etag.startsWith('W/') ? etag : `W/${etag}`);

function setHeaders(reply: FastifyReply, { varies, coding }: ReturnType<typeof codingOf>): void {
  if (!varies) return;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
  if (coding === undefined) return;
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') reply.header('etag', weak(etag));
}

/** Sets the headers that the answer would have with its body, for 304 and HEAD (RFC 9110 sections 9.3.2, 15.4.5). */
export function headersWithoutBody(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly headers: Readonly<Record<string, string>>; readonly payload: Payload },
): void {
  setHeaders(reply, codingOf(request, answer.headers['content-type'], answer.payload));
}

type Done = (error: Error | null, payload?: unknown) => void;
let running = 0;

function compressWhole(coding: Coding, payload: string | Buffer, done: Done): void {
  running += 1;
  const end = (error: Error | null, bytes: Buffer): void => {
    running -= 1;
    done(error, bytes);
  };
  if (coding === 'br') brotliCompress(payload, BROTLI, end);
  else gzip(payload, GZIP, end);
}

function compressStream(coding: Coding, payload: Readable): Readable {
  const coder = coding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  // An error of the file destroys the coder, which ends the answer; the framework logs it.
  return pipeline(payload, coder, () => undefined);
}

/** Compresses an answer on its way out, if the client asks for it. A hook of the framework. */
export function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: Done,
): void {
  const isPayload = typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof Readable;
  if (!isPayload || reply.hasHeader('content-encoding')) {
    done(null, payload);
    return;
  }
  const type = reply.getHeader('content-type');
  const found = codingOf(request, typeof type === 'string' ? type : undefined, payload);
  const isStream = payload instanceof Readable;
  const coding = isStream || request.method === 'HEAD' || running < AT_ONCE_MAX ? found.coding : undefined;
  setHeaders(reply, { ...found, coding });
  if (coding !== undefined) reply.header('content-encoding', coding).removeHeader('content-length');
  if (coding === undefined) done(null, payload);
  else if (request.method === 'HEAD') done(null, null);
  else if (isStream) done(null, compressStream(coding, payload));
  else compressWhole(coding, payload, done);
}
