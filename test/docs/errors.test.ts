import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodeTexts as errorCodes } from '../../shared/domain/error-code-texts.ts';
import { ApiError, refused } from '../../shared/domain/errors.ts';

/*
 * The page about errors is made of the table in the code. After a change of the table:
 * npx vitest run test/docs/errors.test.ts -u
 */

const intro = `# Errors

An error response has a status, a body and the header \`X-Error-Code\`. The body has one of three shapes, which clients
of the service know:

| Shape | When |
|---|---|
| \`{"detail": "<text>"}\` | everything that is not about fields |
| \`{"<field>": ["<text>", …]}\` | fields of the body are wrong; \`non_field_errors\` has what concerns all of it |
| \`{"<field>": "<text>"}\` | a few business rules, such as \`expected_revision\` |

The texts are for people. The code is for programs, and for you when the text says too little: it tells, for example,
the reasons of a 403 apart. The log line of the request has the same code as \`code\`, and the same id as the response
header \`X-Request-Id\`.

Items of a batch have no headers, and so no code: their status is \`code\` and their body is \`content\`, as ever. Send
the item alone to see its code. Responses that a script makes itself have the headers that the script sets. On AWS, an
error that the gateway makes before any function runs (429 beyond the limits of the stage, 503) has no code.

| Code | Status | Meaning | What to do |
|---|---|---|---|
`;

const outro = `
## Names that are ignored

Clients of the service send more than a path knows, so unknown fields and query parameters are ignored. Their names come
back in the response header \`X-Ignored\`, percent-encoded and separated by commas, at most 20 names and 512 bytes. A
batch names those of its items together. With the request header \`X-Strict: 1\` they are an error (\`names_unknown\`), and
nothing is changed; items of a strict batch are strict, each by itself. Read-only fields are known: they may be sent back
as they came. Query parameters and bodies of script runs are for the script, and nothing of them is unknown.
`;

function rows(): string {
  return Object.entries(errorCodes)
    .map(([code, { statuses, meaning, remedy }]) => {
      return `| \`${code}\` | ${statuses.join(', ')} | ${meaning} | ${remedy} |\n`;
    })
    .join('');
}

test('docs/errors.md lists every code with its meaning and remedy', async () => {
  await expect(intro + rows() + outro).toMatchFileSnapshot('../../docs/errors.md');
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

test('an error without a code, or with one that is not in the table, is no valid program', () => {
  // @ts-expect-error: a raw error needs a code
  new ApiError(400, { detail: 'x' });
  // @ts-expect-error: a sentence needs one too
  refused(400, 'x');
  // @ts-expect-error: the table has no such code
  refused(400, 'x', 'no_such_code');
  expect(new ApiError(400, {}, 'throttled', { 'Retry-After': '1' }).headers).toEqual({
    'Retry-After': '1',
    'X-Error-Code': 'throttled',
  });
});
