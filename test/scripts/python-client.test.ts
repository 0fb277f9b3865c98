import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPythonPackages } from '../../shared/platforms/local/operations/python-packages.ts';
import { openWorld, startApi } from '../support/api.ts';
import { reachesPackageIndex } from '../support/package-index.ts';
import { hostsWithSet } from './packaged-hosts.ts';

/* Scripts like the samples of the old service's documentation, with the operator's default set of packages. */

const data = mkdtempSync(join(tmpdir(), 'groundwork-client-'));
const hosts = [...hostsWithSet(data)].filter(([name]) => name !== 'Pyodide'); // it has no network

const sample = `
import syncano
from syncano.models import Class, Object

syncano.connect(api_key=META['token'], instance_name=META['instance'])
for title, pages in (('Dune', 412), ('Emma', 474)):
    Object.please.create(class_name='book', title=title, pages=pages)
long = Object.please.list(class_name='book').filter(pages__gt=420)
print([book.title for book in long])
set_response(HttpResponse(200, {'objects': Class.please.get(name='book').objects_count}))
`;

const call = `
import requests
address = f"{META['api_url']}/v1.1/instances/{META['instance']}/classes/"
response = requests.get(address, headers={'X-API-KEY': META['token']})
print(response.status_code, sorted(each['name'] for each in response.json()['objects']))
`;

describe.runIf(reachesPackageIndex('the Python client of the old service'))(
  'with the default set',
  () => {
    beforeAll(() => installPythonPackages({ data }), 120_000);
    afterAll(() => rmSync(data, { recursive: true, force: true }));

    test.each(hosts)(
      'samples of the old service run in %s',
      async (_name, open) => {
        const api = await startApi();
        const { owner, instance, dataClass, ...world } = await openWorld(api);
        await dataClass('book', [
          { name: 'title', type: 'string', order_index: true, filter_index: true },
          { name: 'pages', type: 'integer', filter_index: true },
        ]);
        const host = open();

        const meta = { api_url: api.url, instance, token: owner };
        const ran = await host.run({ source: sample, meta });
        const called = await host.run({ source: call, meta });
        await host.close();
        const { body } = await world.call(owner, 'GET', 'classes/book/objects/?order_by=title');
        await api.close();

        expect(ran).toMatchObject({
          status: 'success',
          stdout: "['Emma']",
          stderr: '',
          response: { content: '{"objects": 2}' },
        });
        expect(called).toMatchObject({
          status: 'success',
          stdout: "200 ['book', 'user_profile']",
          stderr: '',
        });
        expect(body.objects.map(({ title }: { title: string }) => title)).toEqual(['Dune', 'Emma']);
      },
      60_000,
    );
  },
);
