import type { Config } from '../../config.ts';
import type { Logger } from '../../kernel/context.ts';
import { passThrough, type Tracer } from './tracer.ts';

/** The tracer that the configuration asks for. OpenTelemetry is loaded only where spans are recorded. */
export async function createTracer(config: Config, log: Logger): Promise<Tracer> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return passThrough;
  const { recordSpans } = await import('./record-spans.ts');
  return recordSpans({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: config.OTEL_SERVICE_NAME,
    share: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
}
