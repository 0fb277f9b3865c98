import { readFileSync } from 'node:fs';
import { consoleSteps } from '../../../console/console-steps.ts';
import { createServe } from '../../../core/http/edge.ts';
import type { Dispatch } from '../../../core/http/message.ts';
import type { Log, Meter } from '../../../ports/ports.ts';
import type { Store } from '../../../store/store.ts';
import { instanceEntity } from '../../../table/entities/instances.ts';
import { isOpenToScripts } from '../files/unix-socket.ts';
import type { LocalPlatform } from '../platform.ts';
import type { ServerLoad } from '../server/connections.ts';
import { StartError } from '../server/start-error.ts';
import {
  createMetricsCheck,
  type MetricsAccess,
  type MetricsRequest,
  metricsPath,
} from './access.ts';
import type { MetricsSnapshot } from './catalogue.ts';
import { type Exposition, openExposition } from './exposition.ts';
import { openInstanceCounts, openRequestCounts } from './requests.ts';
import { openMetricsSocket } from './socket.ts';

/** Family of requests for metrics. */
const metricsFamily = 'metrics';
/** Most instances that metrics name. */
const maxNamed = 100;

/** The metrics of a server. */
export interface Monitoring {
  /** Log whose lines of requests are counted. */
  readonly log: Log;
  /** Returns a meter whose requests are counted, if metrics name instances. */
  counting(meter: Meter): Meter;
  /** Loads the metrics of a platform. */
  open(sources: MonitoringSources): Promise<OpenMonitoring>;
}

/** What is monitored. */
export interface MonitoringSources {
  readonly platform: LocalPlatform;
  /** Returns the load of the server; undefined until it listens. */
  readonly load: () => ServerLoad | undefined;
}

/** Metrics that can be served. */
export interface OpenMonitoring {
  /** Adds metrics to what a server serves at its port, if requests can prove who sends them. */
  serving(serve: Dispatch): Dispatch;
  /**
   * Listens on the socket, if one is set.
   *
   * @throws StartError when it cannot be listened on, or scripts could open it
   */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** The monitoring of a server without metrics: it counts and serves nothing. */
const unmonitored = (log: Log): Monitoring => ({
  log,
  counting: (meter) => meter,
  open: async () => ({
    serving: (serve) => serve,
    listen: async () => undefined,
    close: async () => undefined,
  }),
});

/**
 * Opens the monitoring of a server.
 *
 * @param access undefined: there are no metrics
 * @param families names of the families of paths
 */
export function openMonitoring(
  access: MetricsAccess | undefined,
  log: Log,
  families: readonly string[],
): Monitoring {
  if (access === undefined) return unmonitored(log);
  const requests = openRequestCounts([...families, metricsFamily]);
  const instances = openInstanceCounts();
  const version = readVersion();
  return {
    log: requests.counting(log),
    counting: (meter) => (access.hasInstances ? instances.counting(meter) : meter),
    open: async ({ platform, load }) => {
      const takeSnapshot = async (): Promise<MetricsSnapshot> => ({
        version,
        requests,
        readings: platform.readings(),
        load: load(),
        counted: platform.metrics.read(),
        instances: await namesOf(platform.store, instances.busiest(maxNamed)),
      });
      return openAccess(access, platform, await openExposition(takeSnapshot));
    },
  };
}

/** Opens the ways to read metrics. */
function openAccess(
  { socket, token }: MetricsAccess,
  platform: LocalPlatform,
  expose: () => Promise<Exposition>,
): OpenMonitoring {
  const check = createMetricsCheck(token);
  const read = async (request: MetricsRequest) => {
    check(request);
    return expose();
  };
  let close = async () => {};
  return {
    serving: (serve) => {
      if (token === undefined) return serve; // scripts reach the port
      const serveMetrics = createServe(
        { ...platform, dispatch: dispatchTo(read) },
        steps(platform),
      );
      return (request) => (request.path === metricsPath ? serveMetrics : serve)(request);
    },
    listen: async () => {
      if (socket === undefined) return;
      if (token === undefined) await checkSocket(socket, platform.scripts);
      close = await openMetricsSocket({ path: socket, log: platform.log, read });
    },
    close: () => close(),
  };
}

const steps = (platform: LocalPlatform) => consoleSteps(platform, () => []);

function dispatchTo(read: (request: MetricsRequest) => Promise<Exposition>): Dispatch {
  return async ({ method, path, headers: { authorization }, served }) => {
    if (served !== undefined) Object.assign(served, { family: metricsFamily, route: metricsPath });
    const { type, text } = await read({ method, path, authorization });
    return { status: 200, content: { type, bytes: text } };
  };
}

/** @throws StartError when scripts could open the socket */
async function checkSocket(
  socket: string,
  { canOpenSocket }: Pick<LocalPlatform['scripts'], 'canOpenSocket'>,
): Promise<void> {
  if (!(await isOpenToScripts(socket, canOpenSocket))) return;
  throw new StartError(
    `scripts could open the socket ${socket} of metrics: they are kept from it where bubblewrap works and the socket ` +
      'is not among system files; or set GROUNDWORK_METRICS_TOKEN_FILE as well',
  );
}

/** Replaces the ids of instances by their names, without those that are deleted. */
async function namesOf(
  store: Pick<Store, 'get'>,
  busiest: readonly (readonly [instance: number, requests: number])[],
): Promise<MetricsSnapshot['instances']> {
  const found = await instanceEntity.readAll(
    store,
    busiest.map(([instance]) => [instance] as const),
  );
  return busiest.flatMap(([, requests], at) => {
    const name = found[at]?.data.name;
    return name === undefined ? [] : [[name, requests] as const];
  });
}

function readVersion(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(text).version); // of this repository
}
