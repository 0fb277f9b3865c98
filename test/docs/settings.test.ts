import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contextSettings } from '../../lib/context-settings.ts';
import { socialSettings } from '../../shared/accounts/social-variables.ts';
import { awsSettings } from '../../shared/platforms/aws/settings.ts';
import {
  backupSettings,
  localSettings,
  optionSettings,
  pushSettings,
  type ServeOption,
} from '../../shared/platforms/local/settings.ts';
import {
  defaultOf,
  type Setting,
  type SettingGroup,
  type SettingVariable,
  validSettings,
} from '../../shared/ports/setting-variables.ts';
import { commonSettings } from '../../shared/ports/settings.ts';

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
const takes: Column = ['Takes', (setting) => validSettings(setting)?.replaceAll('<', '\\<')];
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
    {
      ...documented(localSettings, 'shared/platforms/local/settings.ts'),
      ...documented(pushSettings, 'shared/platforms/local/settings.ts'),
      ...documented(backupSettings, 'shared/platforms/local/settings.ts'),
    },
    variable,
    meaning,
    takes,
    preset,
  ],
  functions: [
    documented(awsSettings, 'shared/platforms/aws/settings.ts'),
    context,
    variable,
    meaning,
    takes,
    preset,
  ],
  stack: [documented(contextSettings, 'lib/context-settings.ts'), name, meaning, takes, preset],
};

/** Returns settings with the texts of their comments in a file. */
function documented(group: SettingGroup<Declared>, file: string): SettingGroup<Declared> {
  const source = readFileSync(file, 'utf8');
  const described = Object.entries(group).map(([each, setting]): [string, Declared] => {
    const [, comment] =
      new RegExp(`  /\\*\\*((?:(?!\\*/)[^])*)\\*/\\n  ${each}: `).exec(source) ?? [];
    if (comment === undefined) throw new Error(`${file}: ${each} has no comment`);
    const text = comment.replace(/\s+(\* )?/g, ' ').trim();
    const [doc = '', otherwise] = text.split(' @defaultValue ');
    return [each, { ...setting, doc, ...(otherwise !== undefined && { otherwise }) }];
  });
  return Object.fromEntries(described);
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
