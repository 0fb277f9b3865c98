import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptRuntime } from '../../../shared/scripts/script-runner.ts';
import type { Host } from '../hosts.ts';
import { type Case, casesIn, type Rule } from './case.ts';
import { endings, exits } from './endings.ts';
import { environment } from './environment.ts';
import { forgeries } from './forgeries.ts';
import { descriptors, limits } from './limits.ts';
import { outputs } from './outputs.ts';
import { processes } from './processes.ts';
import { repeated } from './repeated.ts';
import { responses, values } from './responses.ts';
import { timeouts } from './timeouts.ts';

/** All rules, by topic. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  'globals and environment': environment,
  'the end of a run': [...endings, ...exits],
  'time limits': timeouts,
  'threads and processes': processes,
  output: outputs,
  'custom responses': responses,
  'successive runs': repeated,
  forgeries,
  limits: [...limits, ...descriptors],
};

/** Rules that depend on the language alone: each is tested on one host, by turns. */
const byTurns = { 'values of responses': values };

/** Tests that scripts have the same outcome on every host. Hosts work side by side, each in order: runs mostly wait. */
export function describeCases(
  language: ScriptRuntime,
  hosts: ReadonlyMap<string, () => Host>,
): void {
  describe.concurrent.each([...hosts])(`${language} in %s`, (hostName, open) => {
    let host: Host;
    beforeAll(async () => {
      host = open();
      await host.run({ source: '' }); // Pyodide's snapshot may have to be created
    }, 300_000);
    afterAll(() => host.close());

    const turns = [...hosts.keys()].filter((name) => name !== 'Pyodide');
    const cases = [
      ...Object.entries(rules).map(
        ([topic, rows]) =>
          [topic, casesIn(language, rows).filter((each) => isFor(hostName, each))] as const,
      ),
      ...Object.entries(byTurns).map(
        ([topic, rows]) =>
          [
            topic,
            casesIn(language, rows).filter((_, at) => turns[at % turns.length] === hostName),
          ] as const,
      ),
    ];
    describe.sequential.each(cases.filter(([, rows]) => rows.length > 0))('%s', (_topic, rows) => {
      test.each(rows)('$name', async ({ name: _, inPyodide, needsProcesses, times, ...row }) => {
        const { status = 'success', stdout = '', stderr = '', response, ...sample } = row;

        const result = await host.run(sample, times);

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
