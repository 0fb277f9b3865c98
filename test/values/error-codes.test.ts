import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodeTexts as errorCodes } from '../../shared/values/errors/error-code-texts.ts';
import { ApiError, detailError } from '../../shared/values/errors/errors.ts';

const path = 'docs/reference/errors.md';

function rows(): string {
  return Object.entries(errorCodes)
    .map(([code, { statuses, meaning, remedy }]) => {
      return `| \`${code}\` | ${statuses.join(', ')} | ${meaning} | ${remedy} |\n`;
    })
    .join('');
}

/** The table is between two comments of the page; an update of snapshots writes it there. */
test('docs/reference/errors.md lists every code with its meaning and remedy', async () => {
  const head = '| Code | Status | Meaning | What to do |\n|---|---|---|---|\n';
  const page = readFileSync(path, 'utf8');
  const [before = '', , after = ''] = page.split(
    /(?<=error-codes\.test\.ts -u -->\n\n)|(?=\n<!-- end of the table)/,
  );

  await expect(before + head + rows() + after).toMatchFileSnapshot(`../../${path}`);
});

test('every code of the table is used', () => {
  const places = ['shared', 'functions'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = places
    .filter((path) => path.endsWith('.ts') && !/\/error-codes?(-texts)?\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

  const unused = Object.keys(errorCodes).filter((code) => !sources.includes(`'${code}'`));

  expect(unused).toEqual([]);
});

test('an error without a code, or with an unknown one, does not compile', () => {
  // @ts-expect-error: a raw error needs a code
  new ApiError(400, { detail: 'x' });
  // @ts-expect-error: a sentence needs one too
  detailError(400, 'x');
  // @ts-expect-error: the table has no such code
  detailError(400, 'x', 'no_such_code');
  expect(new ApiError(400, {}, 'throttled', { 'Retry-After': '1' }).headers).toEqual({
    'Retry-After': '1',
    'X-Error-Code': 'throttled',
  });
});
