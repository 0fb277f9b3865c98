import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptRuntime } from '../../../shared/ports/script-runner.ts';
import { isSoak } from '../../support/sample.ts';
import { boxName } from '../box-hosts.ts';
import type { Host } from '../hosts.ts';
import { type Case, casesIn, type Rule } from './case.ts';
import { endings, errors, exitCodes, exits } from './endings.ts';
import { environment, globals } from './environment.ts';
import { forgeries } from './forgeries.ts';
import { descriptors, limits } from './limits.ts';
import { outputs } from './outputs.ts';
import { packages } from './packages.ts';
import { processes } from './processes.ts';
import { repeated, resets } from './repeated.ts';
import { responseObjects, responses, values } from './responses.ts';
import { timeouts, unusualTimeouts } from './timeouts.ts';
import { canJoin, type PartialResult, runTogether } from './together.ts';

type Topics = Readonly<Record<string, readonly Rule[]>>;

/** Rules that depend on the sandbox, by topic: each is tested on every host in a soak run, else on one by turns. */
const onEveryHost: Topics = {
  environment,
  'time limits': timeouts,
  'threads and processes': processes,
  'successive runs': repeated,
  limits: [...limits, ...descriptors],
  packages,
};

/** Rules that depend on the supervisor, by topic: each is tested at one sandbox level and in one zip, by turns. */
const bySupervisor: Topics = {
  'the end of a run': [...endings, ...exits],
  output: outputs,
  'custom responses': responses,
  forgeries,
};

/** Rules that depend on the language alone, by topic: each is tested on one host, by turns; in a soak run all in the box. */
const byLanguage: Topics = {
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
    const alike = turns.filter((name) => isZip(name) === isZip(hostName));
    const isWhole = isSoak && hostName === boxName; // whose Python is moved, and whose kernel refuses more
    const cases = [
      ...select(onEveryHost, isSoak ? [hostName] : turns),
      ...select(bySupervisor, isSoak && isZip(hostName) ? [hostName] : alike),
      ...select(byLanguage, isWhole ? [hostName] : turns),
    ];

    /** Returns the cases that are this host's turn, by topic. Pyodide has its own, for which no turn matters. */
    function select(topics: Topics, names: readonly string[]) {
      const isSelected = (each: Case, at: number) => {
        if (hostName === 'Pyodide') return each.inPyodide === true;
        const able = names.filter((name) => !(name === 'Landlock' && each.needsProcesses));
        return able[at % able.length] === hostName;
      };
      return Object.entries(topics).map(
        ([topic, rows]) => [topic, casesIn(language, rows).filter(isSelected)] as const,
      );
    }

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
        const { status = 'success', stderr = '', response, unfiltered, ...given } = row;
        const { stdout: filtered = '', ...sample } = given;
        const { stdout } = (hostName === boxName && unfiltered) || { stdout: filtered };

        const result = together?.get(name) ?? (await host.run(sample, Math.min(times, maxTimes)));

        const expected = { status, stdout, stderr };
        expect(result).toEqual(response === undefined ? expected : { ...expected, response });
      });
    });
  });
}

function isZip(host: string): boolean {
  return host.startsWith('the zip');
}
