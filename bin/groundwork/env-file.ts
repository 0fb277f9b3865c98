import { parseEnv } from 'node:util';
import { openProjectFiles } from './project-files.ts';

/** Reads the file `.env` of a folder; without one, nothing is set. */
export function readEnvFile(folder: string): Record<string, string | undefined> {
  return parseEnv(openProjectFiles(folder).readText('.env') ?? '');
}

/** Sets variables in the file `.env` of a folder, which only its owner may read; others stay as they are. */
export function writeEnvFile(folder: string, values: Readonly<Record<string, string>>): void {
  const files = openProjectFiles(folder);
  const lines = files.readText('.env')?.trimEnd().split('\n') ?? [];
  const kept = lines.filter((line) => !Object.keys(values).some((name) => isOf(line, name)));
  const added = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  files.write('.env', `${[...kept, ...added].join('\n')}\n`, { isPrivate: true });
}

function isOf(line: string, name: string): boolean {
  return (
    line
      .trimStart()
      .replace(/^export\s+/, '')
      .split('=')[0]
      ?.trim() === name
  );
}

/** Adds the file `.env` of a folder to those that git ignores. */
export function ignoreEnvFile(folder: string): void {
  const files = openProjectFiles(folder);
  const text = files.readText('.gitignore') ?? '';
  const rules = text.split('\n').filter((line) => /^!?\/?\.env$/.test(line));
  if (rules.at(-1) !== undefined && !rules.at(-1)?.startsWith('!')) return; // the last one counts
  files.write('.gitignore', `${text === '' || text.endsWith('\n') ? text : `${text}\n`}.env\n`);
}
