import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/* Rules of docs/internals/file-keys.md that neither types nor the recorder see. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['bin', 'functions', 'lib', 'shared'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts')),
);
const keyModule = 'shared/values/file-keys.ts';

function filesWith(pattern: RegExp): readonly string[] {
  return sources.filter(
    (path) => path !== keyModule && pattern.test(readFileSync(join(root, path), 'utf8')),
  );
}

describe('only the key module', () => {
  it('makes a text a key', () => {
    expect(filesWith(/\bas (unknown as )?FileKey\b/)).toEqual([]);
  });

  it('writes the prefix of an area', () => {
    const start =
      /[`'"](public|private|thumbs|uploads|scripts|traces|backups|dead-letters)\/(\$\{|\d)/;
    const found = filesWith(start).filter((path) => !path.startsWith('bin/groundwork/project/')); // paths of a project
    expect(found).toEqual([]);
  });
});

describe('the owner of a call is not that of its key, except', () => {
  it.each([
    [
      'where a file is for any client, a signed form has the key, or a job of 0.1.0 has no owner',
      /import [^;]*\b(ownerOfFile|folderOf)\b[^;]*file-keys\.ts'/,
      [
        'shared/objects/files/remove-files.ts',
        'shared/platforms/local/files/file-server.ts',
        'shared/platforms/local/files/upload-form.ts',
      ],
    ],
  ])('%s', (_, pattern, allowed) => {
    expect([...filesWith(pattern)].sort()).toEqual(allowed);
  });
});
