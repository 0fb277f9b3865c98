import { describe, expect } from 'vitest';
import type { UserMailText } from '../../shared/table/records/user-accounts.ts';
import { userLetters } from '../../shared/table/records/user-accounts.ts';
import { defaultLetters } from '../../shared/users/mail/default-letters.ts';
import {
  type LetterVariables,
  renderLetter,
  renderOrDefault,
  shownAddress,
  shownText,
} from '../../shared/users/mail/render-letter.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

const to = 'ada@example.com';
const link = 'https://app.example.com/confirmed#token=1.eyJ4Ijoxfq.abc-_&purpose=register';
const variables: LetterVariables = {
  app: 'Book club',
  link,
  code: '123456',
  email: shownAddress(to),
  minutes: 60,
};
const tenant = { instance: 1, owner: 1 };

describe('a value in a mail', () => {
  it.for([
    ['Visit https://evil.example.com/x now', 'Visit https evil example com x now'],
    ['<a href="//evil.example.com">win</a>', 'a href evil example com win a'],
    ['Bücher & mehr (neu)', 'Bücher & mehr (neu)'],
    ['Subject: x\r\nBcc: all@example.com', 'Subject x Bcc all example com'],
    ['abc\u202egro.live\u202c', 'abc gro live'],
    ['www․evil․example', 'www evil example'], // U+2024, which looks like a dot
    ['ｗｗｗ．evil．example', 'ｗｗｗ evil example'], // full-width
    ['{{ link }}', 'link'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['  \n ', ''],
  ])('that is %s is shown as %s', ([text = '', shown]) => {
    expect(shownText(text)).toBe(shown);
  });

  it.for([
    ['ada@example.com', 'ada…@example.com'],
    ['www.evil.example/win@example.com', 'www…@example.com'],
    ['a@example.com', 'a…@example.com'],
    [`a@${'x'.repeat(100)}.com`, `a…@${'x'.repeat(61)}`],
  ])('that is the address %s is shown as %s', ([address = '', shown]) => {
    expect(shownAddress(address)).toBe(shown);
  });
});

describe('the text of an instance', () => {
  const render = async (
    world: { readonly api: { readonly platform: Parameters<typeof renderLetter>[0] } },
    own: UserMailText,
    more: Partial<LetterVariables> = {},
  ) => {
    const letter = { letter: 'register', own, variables: { ...variables, ...more }, to } as const;
    const rendered = await renderLetter(world.api.platform, letter, tenant);
    if (!rendered.ok) throw new Error(rendered.problem);
    return rendered.mail;
  };

  it('has the variables, one link, and the same content as HTML', async ({ world }) => {
    const own = {
      subject: 'Welcome to {{ app }}',
      text: 'Hello {{ email }},\n\nopen {{ link }} within {{ minutes }} minutes.\nBye',
    };
    const mail = await render(world, own);

    expect(mail.subject).toBe('Welcome to Book club');
    expect(mail.text).toBe(`Hello ada…@example.com,\n\nopen ${link} within 60 minutes.\nBye\n`);
    expect(mail.html).toContain(`open <a href="${link.replace('&', '&amp;')}">`);
    expect(mail.html?.match(/<a /g)).toHaveLength(1);
  });

  it('gets the link where it has none', async ({ world }) => {
    const mail = await render(world, { subject: 'Hi', text: 'Hello' });

    expect(mail.text).toContain(link);
    expect(mail.html?.match(/<a /g)).toHaveLength(1);
  });

  it.for([
    ['line feeds', '{{ "a\\r\\nBcc: all@example.com" }}', 'a Bcc: all@example.com'],
    ['separators of lines', '{{ "a\u2028b\u0085c" }}', 'a bc'],
    ['marks of direction', 'a\u202eb\u2066c\u200fd\ufeffe', 'abcde'],
    ['a loop', '{% for n in range(500) %}x{% endfor %}', 'x'.repeat(150)],
    ['nothing', '{{ nothing }}', defaultLetters.register.subject],
    ['values of others', 'x{{ link }}{{ email }}{{ code }}', 'x'],
  ])(
    'has a subject of one short line, whatever the template: %s',
    async ([, subject = '', shown], { world }) => {
      const mail = await render(world, { subject, text: 'x' });

      expect(mail.subject).toBe(shown);
    },
  );

  it('is text: HTML, control characters and marks of direction do nothing', async ({ world }) => {
    const text = '<script>alert(1)</script>\u0000\u001b[2J\u202etxt\n.\nQUIT<img src=x>';
    const mail = await render(world, { subject: '<b>x</b>', text });

    expect(mail.text).toContain('<script>alert(1)</script>[2Jtxt\n.\nQUIT<img src=x>');
    expect(mail.html).toContain('&lt;script&gt;');
    expect(mail.html).not.toMatch(/<(script|img|b)\b/);
  });

  it('has an end: loops are bounded in time and size', { timeout: 30_000 }, async ({ world }) => {
    const endless =
      '{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}';
    const own = { subject: 'x', text: endless };
    const logged: object[] = [];
    const platform = {
      templates: world.api.platform.templates,
      log: (line: object) => logged.push(line),
    };
    const mail = await renderOrDefault(
      platform,
      { letter: 'code', own, variables: { ...variables, link: '' }, to },
      tenant,
    );

    expect(mail.subject).toBe(defaultLetters.code.subject);
    expect(mail.text).toContain('123456');
    expect(JSON.stringify(logged)).toMatch(/could not be rendered/);
    expect(JSON.stringify(logged)).not.toMatch(/123456|ada/);
  });
});

describe('the preview', () => {
  it.for(userLetters)(
    'shows the default letter "%s" with sample values',
    async (letter, { world }) => {
      const { subject, text, html } = expected(
        await world.own('POST', 'user_settings/preview/', { letter }),
        200,
      );

      expect(subject).toBe(defaultLetters[letter].subject);
      expect(text).not.toMatch(/\{\{|undefined/);
      expect(html).toContain('<!DOCTYPE html>');
    },
  );

  it('renders a text with sample values', async ({ world }) => {
    const body = {
      letter: 'code',
      subject: 'Code of {{ app }}',
      text: '{{ code }}, {{ minutes }}',
    };
    const shown = expected(await world.own('POST', 'user_settings/preview/', body), 200);

    expect(shown).toEqual({
      subject: 'Code of blog-1',
      text: '123456, 10\n',
      html: expect.stringContaining('<p>123456, 10</p>'),
    });
  });

  it.for<readonly [string, object, number]>([
    ['a template that fails', { letter: 'code', subject: 'x', text: '{{ 1 // 0 }}' }, 400],
    ['a template that is none', { letter: 'code', subject: 'x', text: '{% if %}' }, 400],
    ['a letter that there is not', { letter: 'other', subject: 'x', text: 'x' }, 400],
    ['a text without subject', { letter: 'code', text: 'x' }, 400],
  ])('rejects %s', async ([, body, status], { world }) => {
    expect((await world.own('POST', 'user_settings/preview/', body)).status).toBe(status);
  });

  it('is for owners and administrators with role full', async ({ world }) => {
    const key = await world.apiKey({ ignore_acl: true });

    expect(
      (await world.call(key, 'POST', 'user_settings/preview/', { letter: 'code' })).status,
    ).toBe(403);
  });
});
