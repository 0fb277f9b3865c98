import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from './cases.ts';
import { type Host, hosts } from './hosts.ts';

// The same scripts have the same outcome on every host. Hosts work side by side, each in order: runs mostly wait.

describe.concurrent.each([...(await hosts())])('in %s', (_name, open) => {
  let host: Host;
  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host.close());

  describe.sequential.each(Object.entries(cases))('%s', (_group, rows) => {
    test.each(rows)(
      '$name',
      async ({ name: _, times, status, stdout, stderr, response, ...sample }) => {
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
