import { readFileSync } from 'node:fs';
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

const path = 'docs/reference/settings.md';

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
const meaning: Column = ['Meaning', ({ doc, secret }) => (secret ? `${doc}; never shown` : doc)];
const takes: Column = ['Takes', (setting) => validValues(setting)?.replaceAll('<', '\\<')];
const preset: Column = ['Default', defaultOf];

const tables: Readonly<Record<string, readonly [SettingGroup<Declared>, ...Column[]]>> = {
  both: [{ ...commonSettings, ...socialSettings }, variable, context, meaning, takes, preset],
  options: [
    optionSettings,
    option,
    meaning,
    ['Default', (each) => each.argument && defaultOf(each)],
  ],
  machine: [localSettings, variable, meaning, takes, preset],
  functions: [awsSettings, context, variable, meaning, takes, preset],
  stack: [contextSettings, name, meaning, takes, preset],
  set: [stackVariables, variable, meaning],
};

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
