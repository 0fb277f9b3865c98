import { describe, expect, type TestAPI } from 'vitest';
import type { ApiResponse, World } from './api.ts';

/** A point in time in responses. */
export const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

/** A key in responses. */
export const newKey: unknown = expect.stringMatching(/^[0-9a-f]{56}$/);

/** The bodies of common error responses. */
export const forbidden = { detail: 'You do not have permission to perform this action.' };
export const missing = { detail: 'Not found.' };
export const noSuchKey = { detail: 'No such API Key.' };
export const noInstance = { detail: 'Instance was not found.' };
export const noClass = { detail: 'Class was not found.' };
export const noMethod = (method: string) => ({ detail: `Method "${method}" not allowed.` });
export const tooLarge = (bytes: number) => ({ detail: `Request size limit exceeded (${bytes}).` });
export const notObject = (type = 'list') => ({
  non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`],
});

/** The messages of common errors of a field. */
export const required = ['This field is required.'];
export const blank = ['This field may not be blank.'];
export const isNull = ['This field may not be null.'];
export const taken = ['This field must be unique.'];
export const noText = ['Not a valid string.'];
export const noInteger = ['A valid integer is required.'];
export const noJson = ['Not a valid JSON string.'];
export const tooLong = (max: number) => [`Ensure this field has no more than ${max} characters.`];
export const noChoice = (word: string) => [`"${word}" is not a valid choice.`];
export const noPk = (id: number) => [`Invalid pk "${id}" - object does not exist.`];

/** Returns one field of each item of a list. */
export function column({ body }: ApiResponse, name: string): unknown[] {
  return body.objects.map((item: Readonly<Record<string, unknown>>) => item[name]);
}

/** A body, and the whole response body when it is rejected. */
export type Rejection = readonly [name: string, body: unknown, errors: object];

/** Checks that each of these bodies gets status 400 and these errors. */
export function rejections(
  test: Pick<TestAPI<{ world: World }>, 'for'>,
  title: string,
  send: (body: unknown, world: World) => Promise<ApiResponse>,
  rows: readonly Rejection[],
): void {
  describe(title, () => {
    test.for(rows)('%s', async ([, sent, errors], { world }) => {
      const { status, body } = await send(sent, world);
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });
}
