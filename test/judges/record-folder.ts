/**
 * Folder for what the judges of requests and accesses read. It is absent unless the variable names one: then nothing is
 * recorded.
 */
export const recordFolder = process.env.TEST_RECORD || undefined;
