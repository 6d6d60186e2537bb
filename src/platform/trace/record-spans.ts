/** Records spans with OpenTelemetry and sends them by OTLP over HTTP. Only a service with the address of a collector loads this file. */
import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../../kernel/context.ts';
import { VERSION } from '../version.ts';
import type { TraceContext } from './trace-context.ts';
import type { Tracer } from './tracer.ts';

export interface SpanSettings {
  /** Without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that are recorded, from 0 to 1. */
  readonly share: number;
  /** How long spans are collected before they are sent. */
  readonly delayMs?: number;
  readonly log: Logger;
}

const DELAY_MS = 5_000;
const FAILED_FROM = 500;

function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceparent, tracestate } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext) {
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(tracestate && { tracestate }),
  };
}

/** A place in a trace. Its outgoing calls become spans below it. */
function place(tracer: OtelTracer, own: SpanContext): TraceContext {
  return {
    ...headersOf(own),
    call(method, host) {
      const attributes = { 'http.request.method': method, 'server.address': host };
      const above = trace.setSpanContext(ROOT_CONTEXT, own);
      const span = tracer.startSpan(`${method} ${host}`, { kind: SpanKind.CLIENT, attributes }, above);
      return {
        trace: headersOf(span.spanContext()),
        end(status, error) {
          const fault = error ?? (status !== undefined && status >= 400 ? String(status) : undefined);
          span.setAttributes({ 'http.response.status_code': status, 'error.type': fault });
          if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

const warn = (log: Logger, reason: string): void => log.warn({ reason }, 'spans could not be sent');

/** Logs OpenTelemetry's own messages, each a text or an error as JSON. */
function reportFaults(log: Logger): void {
  const report = (text: string): void => warn(log, /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text);
  const nothing = (): void => undefined;
  const logger = { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Follows an earlier decision not to record a trace. The caller of the API cannot ask for more than the share. */
function sampler(share: number): ParentBasedSampler {
  const ratio = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio });
}

export function recordSpans(settings: SpanSettings): Tracer {
  const { endpoint, headers, serviceName, share, delayMs, log } = settings;
  reportFaults(log);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
    sampler: sampler(share),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: delayMs ?? DELAY_MS })],
  });
  const tracer = provider.getTracer('seller-partner-service', VERSION);
  return {
    begin(kind, parent) {
      const options = { kind: kind === 'request' ? SpanKind.SERVER : SpanKind.CONSUMER };
      const span = tracer.startSpan(kind, options, contextOf(parent));
      return {
        trace: place(tracer, span.spanContext()),
        end(name, facts, error) {
          span.updateName(name).setAttributes({ ...facts, 'error.type': error });
          const status = facts['http.response.status_code'];
          if (error !== undefined && (status === undefined || Number(status) >= FAILED_FROM))
            span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    resume(context) {
      const own = trace.getSpanContext(contextOf(context));
      return own === undefined ? context : place(tracer, own);
    },
    stop: () => provider.shutdown().catch((error: Error) => warn(log, error.message)),
  };
}
