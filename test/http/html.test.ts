import { describe, expect, test } from 'vitest';
import {
  attributes,
  type Html,
  type HtmlValue,
  html,
  htmlText,
} from '../../shared/core/pages/html.ts';

const special = `<a href="x" title='y'>&amp;`;
const escaped = '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;';

describe('the html tag', () => {
  test.each<[string, Html, string]>([
    ['keeps its own text', html`<p title="a & b">'</p>`, `<p title="a & b">'</p>`],
    ['escapes text in an element', html`<p>${special}</p>`, `<p>${escaped}</p>`],
    ['escapes text in an attribute', html`<p title="${special}">`, `<p title="${escaped}">`],
    ['escapes every text', html`${'<'}${'<'}-${'<<'}`, '&lt;&lt;-&lt;&lt;'],
    ['writes numbers', html`<p>${0} ${-1.5}</p>`, '<p>0 -1.5</p>'],
    ['inserts its results as they are', html`<p>${html`<b>${'&'}</b>`}</p>`, '<p><b>&amp;</b></p>'],
    [
      'inserts the items of an array one after the other',
      html`<ul>${['<', html`<li>`, [1, html`<b>`], undefined]}</ul>`,
      '<ul>&lt;<li>1<b></ul>',
    ],
    ['inserts nothing for undefined', html`<p>${undefined}</p>`, '<p></p>'],
    ['inserts nothing for null', html`<p>${null}</p>`, '<p></p>'],
    ['inserts nothing for false', html`<p>${false}</p>`, '<p></p>'],
    ['inserts nothing for no text', html`<p>${''}</p>`, '<p></p>'],
    ['reads an escape of its own text once', html`\n${'\\n'}`, '\n\\n'],
  ])('%s', (_name, made, text) => {
    expect(htmlText(made)).toBe(text);
  });

  test('no parsed value is treated as a result', () => {
    const value = JSON.parse('{"markup": "<b>", "Symbol(markup)": "<b>"}') as HtmlValue; // as a mistake would

    expect(htmlText(html`<p>${value}</p>`)).not.toContain('<b>');
  });
});

describe('attributes', () => {
  test.each<[string, Html, string]>([
    [
      'are quoted and escaped',
      attributes({ id: 'a', title: special }),
      ` id="a" title="${escaped}"`,
    ],
    ['are bare when true', attributes({ required: true }), ' required'],
    [
      'are omitted when false, null or undefined',
      attributes({ a: false, b: null, c: undefined }),
      '',
    ],
    ['keep zero and no text', attributes({ rows: 0, value: '' }), ' rows="0" value=""'],
    ['are inserted as they are', html`<p${attributes({ id: '&' })}>`, '<p id="&amp;">'],
  ])('%s', (_name, made, text) => {
    expect(htmlText(made)).toBe(text);
  });
});
