import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectProject } from '../commands/project.ts';
import { expected } from '../support/api.ts';

/* The scripts of the guide on webhooks, run unchanged, with requests as the three services sign them. */

const guide = readFileSync(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
const sourcesIn = (language: string) =>
  blocks.filter(([, each]) => each === language).map(([, , source = '']) => source);

const secret = 'a secret of ours';

/** A request as a service sends it. */
interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A service: what it sends, how it signs, and the output of a run that believes it. */
interface Service {
  readonly name: string;
  readonly type: string;
  readonly body: string;
  readonly stdout: string;
  /** @param time in seconds */
  sign(body: string, key: string, time: string): Sent['headers'];
  readonly hasTime: boolean;
}

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');

const services: readonly Service[] = [
  {
    name: 'github',
    type: 'application/json',
    body: '{"action": "opened",  "é": 1.0}',
    stdout: 'issues opened',
    hasTime: false,
    sign: (body, key) => ({
      'X-GitHub-Event': 'issues',
      'X-Hub-Signature-256': `sha256=${hmac(key, body)}`,
    }),
  },
  {
    name: 'stripe',
    type: 'application/json; charset=utf-8',
    body: '{\n  "type": "charge.succeeded"\n}',
    stdout: 'charge.succeeded',
    hasTime: true,
    sign: (body, key, time) => ({
      'Stripe-Signature': `t=${time},v1=${hmac(key, `${time}.${body}`)},v0=6ffb`,
    }),
  },
  {
    name: 'slack',
    type: 'application/x-www-form-urlencoded',
    body: 'token=x&command=%2Fwebhook-collect&text=',
    stdout: '/webhook-collect',
    hasTime: true,
    sign: (body, key, time) => ({
      'X-Slack-Request-Timestamp': time,
      'X-Slack-Signature': `v0=${hmac(key, `v0:${time}:${body}`)}`,
    }),
  },
];

test('requests are signed here as the examples in the documentation of the services', () => {
  const [github, , slack] = services;
  const command =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';

  expect(github?.sign('Hello, World!', "It's a Secret to Everybody", '')).toMatchObject({
    'X-Hub-Signature-256':
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  });
  expect(slack?.sign(command, '8f742231b10e8888abcd99yyyzzz85a5', '1531420618')).toMatchObject({
    'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  });
});

const now = () => Math.floor(Date.now() / 1000);

/** Requests that no service sent, by what is wrong. */
function forged({ sign, body, hasTime }: Service): Readonly<Record<string, Sent>> {
  const time = `${now()}`;
  const headers = sign(body, secret, time);
  const last = Object.keys(headers).at(-1) ?? '';
  const changed = (value: string) => ({ body, headers: { ...headers, [last]: value } });
  const { [last]: signature = '', ...unsigned } = headers;
  const times = {
    'is old': { body, headers: sign(body, secret, `${now() - 310}`) },
    'is of the future': { body, headers: sign(body, secret, `${now() + 310}`) },
    'has no number as its time': { body, headers: sign(body, secret, 'NaN') },
    'has another time': {
      body,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace(time, `${now() - 1}`)]),
      ),
    },
  };
  return {
    'has another body': { body: `${body} `, headers },
    'has no body': { body: '', headers },
    'is signed with another secret': { body, headers: sign(body, 'another', time) },
    'is signed with an empty secret': { body, headers: sign(body, '', time) },
    'has no signature': { body, headers: unsigned },
    'has an empty signature': changed(''),
    'has a shorter signature': changed(signature.replace(/=[0-9a-f]{20}/, '=')),
    'has a signature that is no ASCII': changed(signature.replace(/=[0-9a-f]/, '=\u00e9')),
    ...(hasTime && times),
  };
}

test.for([
  ['js', 'nodejs'],
  ['python', 'python'],
] as const)(
  'the scripts in %s believe what is signed, and nothing else',
  {
    timeout: 120_000,
  },
  async ([language, runtime]) => {
    const { api, run, write, call } = await connectProject();
    const [yaml = ''] = sourcesIn('yaml');
    const end = language === 'js' ? 'js' : 'py';
    const sources = sourcesIn(language);
    expect(sources.map((source) => source.trimEnd().split('\n').length <= 20)).toEqual([
      true,
      true,
      true,
    ]);
    expect(yaml).toContain('raw: true');
    const lines = (section: string) =>
      services.map(({ name }) => section.replaceAll('github', name));
    const [, ofScript = '', , ofEndpoint = ''] = yaml.replace('.js', `.${end}`).split('\n');
    const file = ['scripts:', ...lines(ofScript), 'script_endpoints:', ...lines(ofEndpoint), ''];
    write({
      'groundwork.yml': file.join('\n'),
      ...Object.fromEntries(
        services.map(({ name }, i) => [`scripts/${name}.${end}`, sources[i] ?? '']),
      ),
    });
    expect(await run('push')).toMatchObject({ status: 0 });
    const secrets = services.map(({ name }) => [`${name}_secret`, secret]);
    expected(await call('PUT', 'snippets/config/', { config: Object.fromEntries(secrets) }), 200);
    expect((await run('push')).stdout).toContain('keep    config');
    const { objects: scripts } = expected(await call('GET', 'snippets/scripts/'), 200);
    expect(scripts[0].runtime_name).toBe(runtime);

    for (const service of services) {
      const { name, type, body, stdout, sign } = service;
      const endpoint = expected(await call('GET', `endpoints/scripts/${name}/`), 200);
      const send = async (sent: Sent) => {
        const response = await fetch(api.url + endpoint.links['public-link'], {
          method: 'POST',
          body: sent.body,
          headers: { 'Content-Type': type, ...sent.headers },
        });
        return [response.status, await response.text()];
      };

      for (const [what, sent] of Object.entries(forged(service))) {
        expect([name, what, ...(await send(sent))]).toEqual([name, what, 401, 'wrong signature']);
      }
      const right = { body, headers: sign(body, secret, `${now()}`) };
      expect([name, ...(await send(right))]).toEqual([name, 200, 'thank you']);
      const traces = expected(await call('GET', `endpoints/scripts/${name}/traces/`), 200);
      expect(traces.objects[0].result).toMatchObject({ stdout, stderr: '' });
    }
  },
);
