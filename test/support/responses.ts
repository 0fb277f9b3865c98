import { expect } from 'vitest';

/** A point in time in responses. */
export const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

/** The bodies of common error responses. */
export const forbidden = { detail: 'You do not have permission to perform this action.' };
export const missing = { detail: 'Not found.' };
export const noClass = { detail: 'Class was not found.' };
export const noMethod = (method: string) => ({ detail: `Method "${method}" not allowed.` });
