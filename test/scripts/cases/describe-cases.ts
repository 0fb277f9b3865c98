import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptRuntime } from '../../../shared/scripts/script-runner.ts';
import type { Host } from '../hosts.ts';
import { type Case, casesIn, type Rule } from './case.ts';
import { endings, errors, exitCodes, exits } from './endings.ts';
import { environment, globals } from './environment.ts';
import { forgeries } from './forgeries.ts';
import { descriptors, limits } from './limits.ts';
import { outputs } from './outputs.ts';
import { processes } from './processes.ts';
import { repeated, resets } from './repeated.ts';
import { responseObjects, responses, values } from './responses.ts';
import { timeouts, unusualTimeouts } from './timeouts.ts';
import { canJoin, type PartialResult, runTogether } from './together.ts';

/** Rules that depend on the host, by topic: each is tested on every host. */
const onEveryHost: Readonly<Record<string, readonly Rule[]>> = {
  environment,
  'the end of a run': [...endings, ...exits],
  'time limits': timeouts,
  'threads and processes': processes,
  output: outputs,
  'custom responses': responses,
  'successive runs': repeated,
  forgeries,
  limits: [...limits, ...descriptors],
};

/** Rules that depend on the language alone, by topic: each is tested on one host, by turns. */
const byTurns: Readonly<Record<string, readonly Rule[]>> = {
  globals,
  errors,
  'exit codes': exitCodes,
  'unusual time limits': unusualTimeouts,
  'response objects': responseObjects,
  'values of responses': values,
  'state of the language': resets,
};

/** Tests the outcome of scripts. Hosts work side by side, each in order: runs mostly wait. */
export function describeCases(
  language: ScriptRuntime,
  hosts: ReadonlyMap<string, () => Host>,
): void {
  describe.concurrent.each([...hosts])(`${language} in %s`, (hostName, open) => {
    const turns = [...hosts.keys()].filter((name) => name !== 'Pyodide');
    const isTurn = ({ inPyodide }: Case, at: number) =>
      hostName === 'Pyodide' ? inPyodide === true : turns[at % turns.length] === hostName;
    const cases = [
      ...Object.entries(onEveryHost).map(
        ([topic, rows]) =>
          [topic, casesIn(language, rows).filter((each) => isFor(hostName, each))] as const,
      ),
      ...Object.entries(byTurns).map(
        ([topic, rows]) => [topic, casesIn(language, rows).filter(isTurn)] as const,
      ),
    ];
    const maxTimes = hostName === 'Pyodide' ? 2 : Infinity; // each run has its own process there
    const joined = hostName === 'Pyodide' ? cases.flatMap(([, rows]) => rows.filter(canJoin)) : [];

    let host: Host;
    let together: ReadonlyMap<string, PartialResult> | undefined;
    beforeAll(async () => {
      host = open();
      if (joined.length > 0) together = await runTogether(host, joined); // Pyodide's snapshot may have to be created
    }, 300_000);
    afterAll(() => host.close());

    describe.sequential.each(cases.filter(([, rows]) => rows.length > 0))('%s', (_topic, rows) => {
      test.each(rows)('$name', async ({ name, inPyodide, needsProcesses, times = 1, ...row }) => {
        const { status = 'success', stdout = '', stderr = '', response, ...sample } = row;

        const result = together?.get(name) ?? (await host.run(sample, Math.min(times, maxTimes)));

        const expected = { status, stdout, stderr };
        expect(result).toEqual(response === undefined ? expected : { ...expected, response });
      });
    });
  });
}

/** Checks whether a case is run on a host. */
function isFor(host: string, { inPyodide, needsProcesses }: Case): boolean {
  if (host === 'Pyodide') return inPyodide === true;
  return host !== 'Landlock' || needsProcesses !== true;
}
