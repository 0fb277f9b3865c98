import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from './hosts.ts';
import { pythonCases } from './python-cases.ts';
import { pythonHosts } from './python-hosts.ts';

// The same scripts end the same way wherever they run.

describe.each([...pythonHosts])('Python in %s', (name, open) => {
  let host: Host;
  beforeAll(async () => {
    host = open();
    await host.run({ source: '' }); // Pyodide's snapshot may have to be made
  }, 300_000);
  afterAll(() => host.close());

  describe.each(Object.entries(pythonCases))('%s', (_group, rows) => {
    test.each(rows.filter(({ inPyodide }) => inPyodide || name !== 'Pyodide'))(
      '$name',
      async ({ name: _, inPyodide, times, status, stdout, stderr, response, ...sample }) => {
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
