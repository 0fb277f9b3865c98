import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from './hosts.ts';
import { type PythonCase, pythonCases } from './python-cases.ts';
import { pythonHosts } from './python-hosts.ts';

// The same scripts have the same outcome on every host. Hosts work side by side, each in order: runs mostly wait.

describe.concurrent.each([...pythonHosts])('Python in %s', (name, open) => {
  let host: Host;
  beforeAll(async () => {
    host = open();
    await host.run({ source: '' }); // Pyodide's snapshot may have to be created
  }, 300_000);
  afterAll(() => host.close());

  describe.sequential.each(Object.entries(pythonCases))('%s', (_group, rows) => {
    test.each(rows.filter((row) => isFor(name, row)))(
      '$name',
      async ({
        name: _,
        inPyodide,
        needsProcesses,
        times,
        status,
        stdout,
        stderr,
        response,
        ...sample
      }) => {
        const result = await host.run(sample, times);

        expect(result).toEqual({
          status: status ?? 'success',
          stdout: stdout ?? '',
          stderr: stderr ?? '',
          ...(response !== undefined && { response }),
        });
      },
    );
  });
});

/** Checks whether a case is run on a host. */
function isFor(host: string, { inPyodide, needsProcesses }: PythonCase): boolean {
  if (host === 'Pyodide') return inPyodide === true;
  return host !== 'Landlock' || needsProcesses !== true;
}
