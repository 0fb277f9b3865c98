import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from './hosts.ts';
import { packagedHosts } from './packaged-hosts.ts';

/* The operator's set of packages: docs/guides/scripts.md#packages. */

const hosts = packagedHosts({ 'helper.py': 'value = 5\n', 'json.py': 'raise SystemExit(7)\n' });

describe.each([...hosts])('a set of packages in %s', (_name, open) => {
  let host: Host;
  beforeAll(() => {
    host = open();
  });
  afterAll(async () => void (await host.close()));

  test('is imported from the last entry of the path', async () => {
    const source =
      'import helper, sys\nprint(helper.value, helper.__file__.startswith(sys.path[-1]))';

    const result = await host.run({ source }, 2);

    expect(result).toMatchObject({ status: 'success', stdout: '5 True', stderr: '' });
  });

  test('does not hide the standard library', async () => {
    const result = await host.run({ source: 'import json\nprint(json.loads("1"))' });

    expect(result).toMatchObject({ status: 'success', stdout: '1' });
  });

  test('names the server in a variable', async () => {
    const source = "import os\nprint(os.environ.get('SYNCANO_APIROOT'))";
    const meta = { api_url: 'https://api.example.com' };

    const result = await host.run({ source, meta });

    expect(result).toMatchObject({ status: 'success', stdout: 'https://api.example.com/' });
  });

  test('cannot be changed by a run', async () => {
    const source = `
import helper, os, sys
for change in (
    lambda: open(helper.__file__, 'a').write('value = 6'),
    lambda: open(os.path.join(sys.path[-1], 'new.py'), 'w').write('x'),
    lambda: os.unlink(helper.__file__),
    lambda: os.rename(helper.__file__, helper.__file__ + '.old'),
    lambda: os.mkdir(os.path.join(sys.path[-1], 'new')),
):
    try:
        change()
        print('CHANGED')
    except OSError:
        pass
print(sorted(each for each in os.listdir(sys.path[-1]) if each != '__pycache__'))`;

    const result = await host.run({ source });

    expect(result).toMatchObject({ stdout: "['helper.py', 'json.py']" });
  });
});
