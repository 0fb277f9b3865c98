import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { mergeState } from '../../bin/groundwork/project/files/merge.ts';
import { fieldsOf } from '../../bin/groundwork/project/model/class-fields.ts';
import type { ProjectEntry } from '../../bin/groundwork/project/model/members.ts';
import { parseProject } from '../../bin/groundwork/project/model/parse.ts';
import type { SectionName } from '../../bin/groundwork/project/model/section.ts';
import type { Entries, ProjectState } from '../../bin/groundwork/project/model/state.ts';
import { fieldTypes } from '../../shared/classes/rules/field-types.ts';

/* A document that is merged describes the other state, whatever texts are in it. */

const traps = [
  '',
  'null',
  'true',
  '1e3',
  '0x10',
  '~',
  '# no',
  'a: b',
  '- a',
  '|',
  '"',
  "'",
  '<<',
  '&a',
  '*a',
  '!x',
];
const blocks = [
  '  two\n lines \n',
  'a\n\n\nb',
  '\ta\n b',
  'a\r\nb',
  '\u2028',
  '\ufeff',
  '2020-01-01',
];
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(...traps, ...blocks),
);
const trimmed = text.map((each) => each.trim());
const label = trimmed.filter((each) => each !== '');
const json = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  fc.oneof(
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
  ),
  { maxKeys: 4 },
);

const field = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  type: fc.constantFrom(...fieldTypes),
});
const fields = fc
  .uniqueArray(field, { selector: ({ name }) => name, maxLength: 4 })
  .map((all) =>
    fieldsOf(all.map((each) => (/^re/.test(each.type) ? { ...each, target: 'self' } : each))),
  );

function map(name: fc.Arbitrary<string>, entry: fc.Arbitrary<ProjectEntry>): fc.Arbitrary<Entries> {
  return fc
    .uniqueArray(fc.tuple(name, entry), { selector: ([key]) => key, maxLength: 3 })
    .map((entries) => new Map(entries));
}

const slug = fc.constantFrom('book', 'author', 'null', 'true');
const sections: Partial<Record<SectionName, fc.Arbitrary<Entries>>> = {
  config: map(fc.constant('config'), fc.record({ config: json })),
  groups: map(label, fc.record({ description: trimmed })).map(
    (entries) =>
      new Map([...entries].map(([name, entry]) => [name, { name: null, label: name, ...entry }])),
  ),
  classes: map(
    slug,
    fc.record({
      description: trimmed,
      group: fc.constantFrom(null, 'editors', 7),
      group_permissions: fc.constantFrom('none', 'read', 'create_objects'),
      other_permissions: fc.constantFrom('none', 'read', 'create_objects'),
      metadata: fc.constantFrom({}, { a: 1 }),
      fields,
    }),
  ),
  templates: map(
    slug,
    fc.record({
      content: label,
      content_type: fc.constant('text/html'),
      context: fc.constantFrom({}, { a: [] }),
      description: trimmed,
    }),
  ),
};
const state: fc.Arbitrary<ProjectState> = fc
  .record(sections)
  .map((given) => new Map(Object.entries(given)) as ReadonlyMap<string, Entries> as ProjectState); // names of sections

const none: ProjectState = new Map();

test('a merged document describes the other state', () => {
  fc.assert(
    fc.property(state, state, (before, after) => {
      const document = parseDocument('');
      mergeState(document, none, before);
      const written = parseDocument(document.toString({ lineWidth: 0 }));

      mergeState(written, before, after);

      const text = written.toString({ lineWidth: 0 });
      const read = parseProject(parseDocument(text).toJS(), 'groundwork.yml');
      for (const [name, entries] of after) {
        const shown = new Map(
          [...entries].filter(([, { config }]) => JSON.stringify(config) !== '{}'),
        );
        expect(read.get(name)).toEqual(shown);
      }
    }),
    { numRuns: 300 },
  );
});
