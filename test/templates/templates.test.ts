import { describe, expect, it } from 'vitest';
import { checkTemplate, renderTemplate } from '../../shared/templates/jinja/render.ts';

/** Output of templates, in Jinja. */

const variables = {
  one: 11,
  half: 0.5,
  text: 'hello',
  list: [1, 2, 3, 4],
  none: null,
  yes: true,
  dict: { items: 5, b: 'x', values: null },
  objects: [
    { id: 1, title: 'Ulysses', author: { name: 'Joyce' } },
    { id: 2, title: null, ok: true, author: { name: 'Ada' } },
  ],
};

const render = (source: string) => renderTemplate(source, structuredClone(variables));

const printed: readonly (readonly [source: string, text: string])[] = [
  // values
  ['{{ one }};{{ nothing }};{{ text }}', '11;;hello'],
  ['{{ yes }} {{ none }} {{ True }} {{ false }} {{ None }}', 'True None True False None'],
  ['{{ list }} {{ objects[0] }}', '[1,2,3,4] {"id":1,"title":"Ulysses","author":{"name":"Joyce"}}'],
  ['{{ {"a": [1, none]} }}', '{"a":[1,null]}'],
  ['{{ "<b>" }} {{ "<b>"|e }}', '<b> &lt;b&gt;'],
  // members
  ['{{ objects[0].author.name }} {{ objects[0]["title"] }}', 'Joyce Ulysses'],
  ['{{ dict.items }} {{ dict["items"] }} {{ dict.nope }}', '5 5 '],
  ['{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}', 'items=5;b=x;values=None;'],
  ['{{ dict.keys() }} {{ dict.get("b") }} {{ dict.get("z", 1) }}', '["items","b","values"] x 1'],
  ['{{ dict.get("values", 1) }} {{ list[9] }}{{ list[-1] }}', 'None 4'],
  ['{{ list[1:3] }} {{ list[:2] }} {{ list[::-1] }} {{ text[1:] }}', '[2,3] [1,2] [4,3,2,1] ello'],
  ['{% set x = [] %}{{ x.append(3) }}{{ x }}', 'None[3]'],
  ['{{ text.upper() }} {{ ",".join(["a", "b"]) }} {{ " a ".strip() }}', 'HELLO a,b a'],
  ['{{ "a b".split() }} {{ "a-b".replace("-", "+") }}', '["a","b"] a+b'],
  // operators
  ['{{ 3 * 3 // 2 }} {{ 10 - 2 + 3 - 1 }} {{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }}', '4 10 3.5 -4 2'],
  ['{{ 1 < 2 < 3 }} {{ [1] == [1] }} {{ "a" ~ 1 ~ none }}', 'True True a1None'],
  ['{{ "ell" in text }} {{ 9 not in list }} {{ "b" in dict }}', 'True True True'],
  ['{{ 1 if false else 2 if true else 3 }}{{ 1 if false }}', '2'],
  ['{{ [] or "empty" }} {{ one and text }}', 'empty hello'],
  ['{{ one is defined }} {{ zz is not defined }} {{ one is divisibleby(11) }}', 'True True True'],
  // statements
  ['{% if [] %}a{% elif 0 %}b{% else %}c{% endif %}', 'c'],
  [
    '{% for o in objects if o.id > 1 %}{{ loop.index0 }}{{ loop.length }}{{ o.id }}{% endfor %}',
    '012',
  ],
  ['{% for i in list %}{{ i }}{{ "," if not loop.last }}{% endfor %}', '1,2,3,4'],
  ['{% for i in list %}{{ loop.cycle("a", "b") }}{{ loop.revindex }}{% endfor %}', 'a4b3a2b1'],
  ['{% for i in nothing %}x{% else %}none{% endfor %}', 'none'],
  ['{% for i in list %}{% set x = i %}{% endfor %}{{ x }}', ''],
  [
    '{% set n = namespace(x=0) %}{% for i in list %}{% set n.x = n.x + i %}{% endfor %}{{ n.x }}',
    '10',
  ],
  ['{% macro f(a, b=2) %}[{{ a }},{{ b }}]{% endmacro %}{{ f(1) }}{{ f(1, b=3) }}', '[1,2][1,3]'],
  ['{% macro f() %}<{{ caller() }}>{% endmacro %}{% call f() %}x{% endcall %}', '<x>'],
  ['{% with a = 1 %}{{ a }}{% endwith %}{{ a }}', '1'],
  ['{% set x %}abc{% endset %}{{ x }}{% filter upper %}d{% endfilter %}', 'abcD'],
  ['{% raw %}{{ x }}{% endraw %}', '{{ x }}'],
  // white space
  ['a\n  {% if true %}\n  b\n  {% endif %}\nc\n', 'a\n  b\nc'],
  ['a\n  {# note #}\nb', 'a\nb'],
  ['{%- for i in list -%}\n {{ i }}, \n{%- endfor -%}\n', '1,2,3,4,'],
  // filters
  ['{{ list|length }} {{ nothing|default("d") }} {{ ""|d("e", true) }}', '4 d e'],
  ['{{ objects|map(attribute="author.name")|join(", ") }}', 'Joyce, Ada'],
  ['{{ list|map("string")|list }} {{ list|sum }} {{ list|max }}', '["1","2","3","4"] 10 4'],
  ['{{ objects|selectattr("ok")|map(attribute="id")|list }}', '[2]'],
  ['{{ objects|rejectattr("id", "gt", 1)|map(attribute="id")|list }}', '[1]'],
  ['{{ objects|sort(attribute="author.name", reverse=true)|map(attribute="id")|list }}', '[1,2]'],
  [
    '{% for k, all in objects|groupby("author.name") %}{{ k }}{{ all|length }};{% endfor %}',
    'Ada1;Joyce1;',
  ],
  ['{{ "%.2f %s"|format(half, text) }} {{ "%03d" % 7 }}', '0.50 hello 007'],
  [
    '{{ list|batch(3)|list }} {{ list|first }}{{ list|last }} {{ dict|dictsort|first }}',
    '[[1,2,3],[4]] 14 ["b","x"]',
  ],
  [
    '{{ "ab cd"|title }} {{ "A"|lower }} {{ "abc"|replace("b", "-") }} {{ " a "|trim }}',
    'Ab Cd a a-c a',
  ],
  [
    '{{ 2.5|round }} {{ "7"|int }} {{ "x"|int(3) }} {{ "a b"|urlencode }} {{ [3,1]|tojson }}',
    '3 7 3 a%20b [3,1]',
  ],
  [
    '{{ "<\'&>"|tojson }} {{ {"a": "</script>"}|tojson }}',
    '"\\u003c\\u0027\\u0026\\u003e" {"a":"\\u003c/script\\u003e"}',
  ],
  [
    '{{ "hello World foo"|truncate(7) }} {{ "hello World foo"|truncate(10) }}',
    'hell... hello World foo',
  ],
  [
    '{{ "hello World"|truncate(9, true, "!", 0) }} {{ "hello World"|truncate(9, false, "!", 0) }}',
    'hello Wo! hello!',
  ],
  ['{{ list|slice(3)|list }} {{ list|slice(3, 0)|list }}', '[[1,2],[3],[4]] [[1,2],[3,0],[4,0]]'],
  ['{{ [5]|slice(0)|list }}', '[[5]]'],
  ['{{ [5]|slice([{}])|list }} {{ [5]|batch({})|list }}', '[[5]] [[5]]'],
  ['{% for g in objects|groupby("id") %}{{ g.grouper }}{{ g.list|length }};{% endfor %}', '11;21;'],
  [
    '{{ one is divisibleby 11 }} {{ one is gt 3 and yes }} {{ one is not eq one }} {{ 1 if one is odd else 2 }}',
    'True True False 1',
  ],
  ['{{ one is in [11] }} {{ "x" if one is defined }}{{ list|select("gt", 3)|list }}', 'True x[4]'],
  [
    '{{ {"a": {"b": {"c": 1}}} }}{% set d = {"a": {"b": 2}} %}{{ d.a.b }}{{ {"a":{}}}}',
    '{"a":{"b":{"c":1}}}2{"a":{}}',
  ],
  ['{{ 1e3 }} {{ 1_000 + 1 }}', '1000 1001'],
  ['{{ range(2, 8, 3)|list }}{% set j = joiner("+") %}{{ j() }}{{ j() }}', '[2,5]+'],
  // how the source is cut into tokens
  ['{{ "a\\n\\"b\\q" }}{{ \'}}\' }}{{ "%}" }}', 'a\n"bq}}%}'],
  ['{{ 1.5 + 2. }} {{ one|default(1)|string ~ "!" }} {{ null }}', '3.5 11! None'],
  ['{{-one-}} {{- one -}} x {#- c -#} y {{one -}}\n', '1111xy 11'],
  ['{{ {"a":{"b":1}} }} { {# {{ #}} # %', '{"a":{"b":1}} { } # %'],
  ['{% raw %}{% if %}{% raw %}{{{% endraw %}#}{% endraw %}!', '{% if %}{% raw %}{{{% endraw %}#}!'],
  ['{% raw -%} a {% endraw %} b{% raw %} is {{ one }}', ' a b is 11'],
  ['a\r\n  {% if yes %}\r\nb\r\n\t{# c #}\nd{% endif %}\r\n', 'a\r\nb\r\nd'],
  ['x  {% if yes %}\n\n  y{% endif %}  {%- set z = 1 -%}  \n w', 'x  \n  yw'],
  // ranks of operators, and where members and filters belong
  ['{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ -half|abs }} {{ 2 * list|length }}', '64 4 0.5 8'],
  ['{{ not 1 in list and yes or text }} {{ 1 not in list not in [false] }}', 'hello False'],
  ['{{ (1, 2) }} {{ () }} {{ (one) }} {{ [1, 2,][1] }} {{ objects[1:][0].id }}', '[1,2] [] 11 2 2'],
  ['{{ dict.get("b")|upper|lower ~ "a"|upper }} {{ "a".upper().lower() }}', 'xA a'],
  ['{{ none is none and true is true and one is not string }}', 'True'],
  // statements with all their parts
  ['{% block a %}x{% endblock a %}{% block b %}{{ one }}{% endblock %}', 'x11'],
  ['{% for (a, b) in [[1, 2]] if a %}{{ a + b }}{% else %}-{% endfor %}', '3'],
  ['{% if 0 %}{% elif 1 %}a{% elseif 1 %}b{% endif %}{% if 0 %}{% else %}c{% endif %}', 'ac'],
  [
    '{% macro f(a) %}{{ caller(a, b=3) }}{% endmacro %}{% call(a, b=2) f(1) %}{{ a }}{{ b }}{% endcall %}',
    '13',
  ],
  ['{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{% with %}{{ a }}{% endwith %}', '3'],
  ['{% set a, b = [1, 2] %}{{ b }}{% filter replace("a", "b") %}aa{% endfilter %}', '2bb'],
  // filters of texts
  ['{{ "aBC dEF"|capitalize }} {{ "aBC  dEF"|title }}', 'Abc def Abc  Def'],
  ['{{ "ab"|center(5) }}|{{ "ab"|center("4") }}|{{ "abc"|center(2) }}', ' ab  | ab |abc'],
  ['{{ "a\nb"|indent }} {{ "a\nb"|indent(1, true) }} {{ ""|indent(1, true) }}', 'a\n    b  a\n b '],
  ['{{ "aaa"|replace("a", "b", 2) }} {{ "ab"|replace("", "-") }}', 'bba -a-b-'],
  ['{{ " <p>a\n <!-- > -->b</p  > <3 "|striptags }}', 'a b <3'],
  ['{{ "\\\\&\\"\\\'<>"|e }}', '&#92;&amp;&quot;&#39;&lt;&gt;'],
  [
    '{{ "(http://a.org/x), www.b.de c.com: a@b.co d"|urlize(5, true) }}',
    '<a href="http://a.org/x)" rel="nofollow">http:</a> <a href="http://www.b.de" rel="nofollow">www.b</a> <a href="http://c.com:" rel="nofollow">c.com</a> <a href="mailto:a@b.co">a@b.co</a> d',
  ],
  // what must not be reached reads as nothing
  ['{{ list.__class__ }}{{ text.constructor }}{{ dict["__proto__"] }}{{ range.prototype }}', ''],
];

const failed = 'Template rendering failed';
const unsafe = 'Access unsafe properties in a template is forbidden.';

const refused: readonly (readonly [source: string, problem: string])[] = [
  ['{{ x.y }}', `${failed}: 'x' is undefined`],
  ['{{ x() }}', `${failed}: 'x' is undefined`],
  ['{{ x + 1 }}', `${failed}: 'x' is undefined`],
  ['{{ dict.nope.more }}', `${failed}: 'dict object' has no attribute 'nope'`],
  ['{{ list[9].more }}', `${failed}: list object has no element 9`],
  ['{{ none.more.more }}', `${failed}: 'None' has no attribute 'more'`],
  ['{{ one() }}', `${failed}: 'int' object is not callable`],
  ['{{ dict.b() }}', `${failed}: 'str' object is not callable`],
  ['{{ text + 1 }}', `${failed}: unsupported operand type(s) for +: 'str' and 'int'`],
  ['{{ 1 // 0 }}', `${failed}: division by zero`],
  ['{% for i in one %}{% endfor %}', `${failed}: 'int' object is not iterable`],
  [
    '{{ range(100001) }}',
    `${failed}: Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).`,
  ],
  ['{% include "other" %}', `${failed}: no loader for this environment specified`],
  ['{{ a.__class__.__base__ }}', unsafe],
  ['{{ list.constructor("return process")() }}', unsafe],
  ['{{ range.constructor.constructor }}', unsafe],
  ['{{ text.__proto__.polluted }}', unsafe],
  ['{{ objects|map(attribute="constructor.name")|list }}', unsafe],
  ['{{ objects|groupby("__proto__.x") }}', unsafe],
  // names that every JavaScript object inherits are no filters, tests or methods
  ['{{ list|map("constructor")|list }}', `${failed}: no filter named 'constructor'`],
  ['{{ list|map("__proto__")|list }}', `${failed}: no filter named '__proto__'`],
  ['{{ list|select("constructor")|list }}', `${failed}: no test named 'constructor'`],
  ['{{ list|rejectattr("x", "toString")|list }}', `${failed}: no test named 'toString'`],
  ['{{ one|round(1, "constructor") }}', `${failed}: method must be common, ceil or floor`],
  ['{{ one|round(1, "valueOf") }}', `${failed}: method must be common, ceil or floor`],
  ['{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', failed],
  [
    '{% set n = namespace(x="ab") %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}',
    failed,
  ],
  ['{% for i in range(2000) %}{{ "x" * 10000 }}{% endfor %}', failed],
];

const unreadable: readonly (readonly [source: string, problem: string])[] = [
  ['{{ one', 'expected variable end'],
  ['{{ one }', 'expected variable end (line 1, column 8)'],
  ['{{ 1x }}', 'unexpected 1x (line 1, column 4)'],
  ['{{ }}', 'unexpected token: }} (line 1, column 4)'],
  ['\n{% foo %}', 'unknown block tag: foo (line 2, column 4)'],
  ['{% if one %}', 'expected elif, else, or endif, got end of file'],
  ['{% for i in list %}', 'unexpected end of file'],
  ['{% endif %}', 'unknown block tag: endif (line 1, column 4)'],
  ['{{ one|foo }}', "no filter named 'foo' (line 1, column 8)"],
  ['{{ one is foo }}', "no test named 'foo' (line 1, column 11)"],
  ['{{ one|constructor }}', "no filter named 'constructor' (line 1, column 8)"],
  ['{{ one is valueOf }}', "no test named 'valueOf' (line 1, column 11)"],
  ['{{ r/a+/ }}', "unexpected char '/' (line 1, column 4)"],
  ['{# open', 'expected end of comment, got end of file'],
  ['a #} b', 'unexpected end of comment'],
  ['{% "if" %}', 'tag name expected (line 1, column 4)'],
  ['{% if one }} x', 'expected block end in if statement (line 1, column 13)'],
  ['{% if one %}\n{% endif x %}', 'expected block end in endif statement (line 2, column 12)'],
  ['{{ *(one) }}', 'unexpected token: * (line 1, column 4)'],
  ['{{ one not two }}', 'unexpected end of template'],
  ['{{ one === 1 }}', 'unexpected === (line 1, column 8)'],
  ['{{ (1 2) }}', 'expected comma after expression (line 1, column 4)'],
  ['{{ [1 2] }}', 'expected comma after expression (line 1, column 7)'],
  ['{{ list[1, 2] }}', 'invalid index (line 1, column 15)'],
  ['{{ list[] }}', 'expected subscript expression (line 1, column 8)'],
  ['{{ list[1:2 }}', 'expected ] after slice (line 1, column 13)'],
  ['{{ [1:2] }}', 'unexpected Slice (line 1, column 7)'],
  ['{{ {"a" 1} }}', 'expected colon after dict key (line 1, column 4)'],
  ['{{ list.0 }}', 'expected name as lookup value, got 0 (line 1, column 9)'],
  ['{{ one|2 }}', 'expected symbol, got int (line 1, column 8)'],
  ['{{ one is [11] }}', 'expected a name (line 1, column 11)'],
  ['{{ range(a.b=1) }}', 'expected a name (line 1, column 11)'],
  ['{% set n[] = 1 %}', 'expected subscript expression (line 1, column 9)'],
  ['{% set 1 = 1 %}', 'expected a name (line 1, column 8)'],
  ['{% set a %', 'expected = or block end in set tag (line 1, column 4)'],
  ['{% for 1 in list %}', 'variable name expected for loop (line 1, column 4)'],
  ['{% for a of list %}', 'expected "in" keyword for loop (line 1, column 4)'],
  ['{% for (a in list %}', 'expected ) in for loop (line 1, column 11)'],
  ['{% with a %}', 'expected = in with statement (line 1, column 11)'],
  ['{% macro f %}', 'expected arguments (line 1, column 12)'],
  ['{% call one %}{% endcall %}', 'unexpected end of template'],
  ['{% block a.b %}', 'variable name expected (line 1, column 4)'],
  ['{% block a %}', 'expected endblock, got end of file'],
  ['{% import "x" %}', 'expected "as" keyword (line 1, column 4)'],
  ['{% from "x" import %}', 'Expected at least one import name (line 1, column 4)'],
  [
    '{% from "x" import _a %}',
    'names starting with an underscore cannot be imported (line 1, column 20)',
  ],
  ['{% import "x" as y with %}', 'expected context after with/without (line 1, column 20)'],
  ['{% if one %}'.repeat(20_000), 'the template is nested too deeply'],
  [`{{ ${'('.repeat(20_000)} }}`, 'the template is nested too deeply'],
];

describe('a template', () => {
  it.each(printed)('%s', (source, text) => {
    expect(render(source)).toEqual({ ok: true, text });
    expect(checkTemplate(source)).toBeUndefined();
  });
});

describe('a template that fails', () => {
  it.each(refused)('%s', (source, problem) => {
    expect(render(source)).toEqual({ ok: false, problem });
    expect(checkTemplate(source)).toBeUndefined();
  });
});

describe('a template that cannot be parsed', () => {
  it.each(unreadable)('%s', (source, problem) => {
    expect(checkTemplate(source)).toBe(problem);
  });
});

it('leaves the prototypes of the process alone', () => {
  const evil = JSON.parse('{"dict": {}, "other": {"__proto__": {"polluted": 1}}}');

  const result = renderTemplate(
    '{{ dict.update(other) }}{{ dict.polluted }}{{ "".polluted }}',
    evil,
  );

  expect(result).toEqual({ ok: true, text: 'None' });
  expect(Object.keys(Object.prototype)).toEqual([]);
});
