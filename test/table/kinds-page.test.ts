import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DeclaredKind } from '../../shared/table/kind.ts';
import { countersOf, kinds } from '../../shared/table/kinds.ts';
import { nameOf, samples } from './samples.ts';

const path = 'docs/internals/table.md';
const folder = 'shared/table/entities';
const entity = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+Entity) = /g;

/** Returns the first clause of the comment on each entity. */
function descriptions(): ReadonlyMap<string, string> {
  const sources = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
  const found = sources.flatMap((source) => [...source.matchAll(entity)]);
  return new Map(
    found.map(([, comment = '', name = '']) => {
      const [first = ''] = comment
        .replaceAll(/\s*\n \* ?/g, ' ')
        .trim()
        .split(/[.;](?:\s|$)/, 1);
      return [name, first];
    }),
  );
}

function rows(): string {
  const described = descriptions();
  return kinds.map((kind) => rowOf(kind, described.get(nameOf(kind)) ?? '')).join('');
}

function rowOf(kind: DeclaredKind, description: string): string {
  const key = samples.find(([each]) => each === kind)?.[1];
  const { belongsTo, clearedWith = '', shownAs = '' } = kind.facts;
  const counters = countersOf(kind).map((counter) => `\`${counter}\``);
  return `| ${description} | \`${key?.pk}\` | \`${key?.sk}\` | ${belongsTo} | ${clearedWith} | ${counters.join(', ')} | ${shownAs} |\n`;
}

/** The table is between two comments of the page; an update of snapshots writes it there. */
test('docs/internals/table.md lists every kind of item', async () => {
  const head =
    '| Item | Partition key | Sort key | Belongs to | Deleted with | Counter | In backups |\n|---|---|---|---|---|---|---|\n';
  const page = readFileSync(path, 'utf8');
  const table = /(?<=kinds-page\.test\.ts -u -->\n\n)[\s\S]*?(?=\n<!-- end of the table)/;

  expect(page).toMatch(table);
  await expect(page.replace(table, () => head + rows())).toMatchFileSnapshot(`../../${path}`);
});

test('every kind has a comment that says what its items are', () => {
  expect([...descriptions().keys()].sort()).toEqual(kinds.map(nameOf).sort());
});
