import { afterAll, describe, expect, it } from 'vitest';
import { openProcesses } from '../../shared/platforms/local/scripts/processes.ts';
import { openTemplates } from '../../shared/platforms/local/templates.ts';

const processes = openProcesses({ slots: 6 });
const renderer = openTemplates(processes, 1000);
afterAll(() => processes.close());

const tenant = { instance: 1, owner: 1 };
const endless = '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}';
const late = { ok: false, problem: 'Template rendering timeout' };

describe('the processes that render', () => {
  it('serve many at once, each with its own response', async () => {
    const numbers = [...Array(40).keys()];

    const rendered = await Promise.all(
      numbers.map((n) => renderer.render('{{ n }}', { n }, tenant)),
    );

    expect(rendered).toEqual(numbers.map((n) => ({ ok: true, text: String(n) })));
  });

  it('keep no data of one template for the next', async () => {
    const list = [1];
    await renderer.render('{{ list.append(2) }}{% set x = 1 %}', { list }, tenant);

    expect(await renderer.render('{{ list }}{{ x }}', { list }, tenant)).toEqual({
      ok: true,
      text: '[1]',
    });
  });

  it('are killed when a template does not end, and others continue', async () => {
    const all = [...Array(2).fill(endless), '{{ 1 }}'];

    const rendered = await Promise.all(all.map((source) => renderer.render(source, {}, tenant)));

    expect(rendered).toEqual([late, late, { ok: true, text: '1' }]);
  });

  it('report a syntax error, and none for a valid template', async () => {
    expect(await renderer.check('{{ a', tenant)).toBe('expected variable end');
    expect(await renderer.check('{{ a }}', tenant)).toBeUndefined();
  });
});
