import { runLoad } from './load.ts';
import type { LoadTarget } from './measure.ts';
import { type Scenario, seedRequest } from './scenarios.ts';
import { type MeasuredServer, startPlatform } from './server.ts';
import { type BenchWorld, makeWorld } from './world.ts';

const seedConnections = 32;
const mostRequests = 1_000_000; // of one measurement, because disk space is limited
/** Requests after which V8 has compiled also what runs once in a request, as for a batch. */
const warmRequests = 3000;

/**
 * Starts the platform and fills it.
 *
 * @param project folder of the version to start
 * @param count   seeded objects
 */
export async function openWorld(project: string, count: number): Promise<BenchWorld> {
  const first = await startPlatform(project);
  // a start that bundles the version leaves more memory in use than the next one
  const world = await makeWorld(await first.restart());
  const { requests, seconds } = await runLoad({
    port: world.platform.port,
    connections: seedConnections,
    seconds: 600,
    count,
    request: (index) => seedRequest(world, index),
    onAnswer: ({ body }) => world.ids.push(Number(/"id":\s*(\d+)/.exec(body.toString())?.[1])),
  });
  const rate = Math.round(requests / seconds);
  console.log(
    `Seeded ${requests} objects in ${seconds.toFixed(1)} s over ${seedConnections} connections (${rate}/s)`,
  );
  return world;
}

/** Prepares a scenario on the platform, and sends its requests for up to 4.5 times `seconds`, so that the code is compiled. */
export async function openTarget(
  scenario: Scenario,
  world: BenchWorld,
  seconds: number,
): Promise<LoadTarget> {
  await scenario.prepare?.(world);
  return warmTarget(scenario, world, world.platform, seconds);
}

/**
 * Prepares the bare server for the requests of a scenario, with a response of the platform. The scenario is open in
 * `world`.
 *
 * @returns undefined when the scenario has no floor
 */
export async function openFloor(
  scenario: Scenario,
  world: BenchWorld,
  bare: MeasuredServer,
  seconds: number,
): Promise<LoadTarget | undefined> {
  if (!scenario.hasFloor) return undefined;
  let answer: unknown;
  await runLoad({
    port: world.platform.port,
    connections: 1,
    seconds: 10,
    count: 1,
    request: () => scenario.request(world, 0),
    onAnswer: ({ status, body }) => {
      const { isStored = false } = scenario;
      answer = { status, value: JSON.parse(body.toString()), isStored };
    },
  });
  await bare.ask(answer);
  return warmTarget(scenario, world, bare, seconds);
}

async function warmTarget(
  scenario: Scenario,
  world: BenchWorld,
  server: MeasuredServer,
  seconds: number,
): Promise<LoadTarget> {
  let first = 0;
  const send = async (connections: number, limit: number, count = mostRequests) => {
    const outcome = await runLoad({
      port: server.port,
      connections,
      seconds: limit,
      count,
      request: (index) => scenario.request(world, first + index),
    });
    first += outcome.requests;
    return outcome;
  };
  await send(seedConnections, seconds / 2);
  await send(seedConnections, seconds * 4, Math.max(warmRequests - first, 0));
  return { server, send };
}
