import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { contextSettings } from '../../lib/context-settings.ts';
import { socialSettings } from '../../shared/accounts/social-variables.ts';
import { awsSettings, stackVariables } from '../../shared/platforms/aws/settings.ts';
import {
  localSettings,
  optionSettings,
  type ServeOption,
} from '../../shared/platforms/local/settings.ts';
import {
  defaultOf,
  type Setting,
  type SettingGroup,
  type SettingVariable,
  validValues,
} from '../../shared/ports/setting-variables.ts';
import { commonSettings } from '../../shared/ports/settings.ts';

const awsFile = 'shared/platforms/aws/settings.ts';
const path = 'docs/reference/settings.md';

/** A setting as it is declared, and its comment. */
type Declared = Setting & Partial<SettingVariable & ServeOption>;
type Column = readonly [
  title: string,
  cell: (setting: Declared, name: string) => string | undefined,
];

const code = (text: string | undefined) => text && `\`${text.replaceAll('|', '\\|')}\``;
const variable: Column = ['Variable', (setting) => code(setting.variable)];
const context: Column = ['`-c`', (setting) => code(setting.context)];
const name: Column = ['`-c`', (_, each) => code(each)];
const option: Column = [
  'Option',
  ({ argument = '' }, each) => code(`--${each} ${argument}`.trimEnd()),
];
const meaning: Column = [
  'Meaning',
  ({ doc, isSecret }) => (isSecret ? `${doc} Never shown.` : doc),
];
const takes: Column = ['Takes', (setting) => validValues(setting)?.replaceAll('<', '\\<')];
const preset: Column = ['Default', (setting) => setting.otherwise ?? defaultOf(setting)];

const tables: Readonly<Record<string, readonly [SettingGroup<Declared>, ...Column[]]>> = {
  both: [
    {
      ...documented(commonSettings, 'shared/ports/settings.ts'),
      ...documented(socialSettings, 'shared/accounts/social-variables.ts'),
    },
    variable,
    context,
    meaning,
    takes,
    preset,
  ],
  options: [
    optionSettings,
    option,
    meaning,
    ['Default', (each, title) => each.argument && preset[1](each, title)],
  ],
  machine: [
    documented(localSettings, 'shared/platforms/local/settings.ts'),
    variable,
    meaning,
    takes,
    preset,
  ],
  functions: [documented(awsSettings, awsFile), context, variable, meaning, takes, preset],
  stack: [documented(contextSettings, 'lib/context-settings.ts'), name, meaning, takes, preset],
  set: [documented(stackVariables, awsFile), variable, meaning],
};

/** Returns settings with the texts of their comments in a file. */
function documented(group: SettingGroup<Declared>, file: string): SettingGroup<Declared> {
  const texts = new Map<string, Pick<ServeOption, 'doc' | 'otherwise'>>();
  const visit = (node: ts.Node): void => {
    const [comment] = ts.isPropertyAssignment(node) ? ts.getJSDocCommentsAndTags(node) : [];
    if (comment && ts.isPropertyAssignment(node) && ts.isJSDoc(comment)) {
      const [otherwise] = comment.tags?.map(textOf) ?? [];
      texts.set(node.name.getText(), { doc: textOf(comment), ...(otherwise && { otherwise }) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  const described = Object.entries(group).map(([each, setting]): [string, Declared] => {
    const text = texts.get(each);
    if (text === undefined) throw new Error(`${file}: ${each} has no comment`);
    return [each, { ...setting, ...text }];
  });
  return Object.fromEntries(described);
}

function textOf({ comment }: ts.JSDoc | ts.JSDocTag): string {
  return (ts.getTextOfJSDocComment(comment) ?? '').replaceAll('\n', ' ');
}

function tableOf(title: string): string {
  const [settings, ...columns] = tables[title] ?? [{}];
  const row = (cells: readonly (string | undefined)[]) =>
    `|${cells.map((cell) => (cell ? ` ${cell} ` : ' ')).join('|')}|\n`;
  return [
    row(columns.map(([head]) => head)),
    `|${'---|'.repeat(columns.length)}\n`,
    ...Object.entries(settings).map(([each, setting]) =>
      row(columns.map(([, cell]) => cell(setting, each))),
    ),
  ].join('');
}

/** A table follows each comment with its name; an update of snapshots writes it there. */
test('docs/reference/settings.md lists every setting', async () => {
  const found: string[] = [];
  const page = readFileSync(path, 'utf8').replace(
    /(<!-- (\w+): made by .*\n)\n(?:\|.*\n)*/g,
    (_, comment: string, title: string) => {
      found.push(title);
      return `${comment}\n${tableOf(title)}`;
    },
  );

  expect(found).toEqual(Object.keys(tables));
  await expect(page).toMatchFileSnapshot(`../../${path}`);
});

test('no variable, and no name for `-c`, is declared twice', () => {
  const settings = [commonSettings, socialSettings, localSettings, awsSettings];
  const declared = settings.flatMap((group): Declared[] => Object.values(group));
  const twice = (names: readonly (string | undefined)[]) =>
    names.filter((each, at) => each !== undefined && names.indexOf(each) !== at);

  expect(twice(declared.map((setting) => setting.variable))).toEqual([]);
  const contexts = declared.map((setting) => setting.context);
  expect(twice([...contexts, ...Object.keys(contextSettings)])).toEqual([]);
});
