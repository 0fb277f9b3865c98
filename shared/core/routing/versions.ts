/** Versions of the interface; the first segment of every path. */
export const versions = ['v1.1', 'v1'] as const;
export type Version = (typeof versions)[number];
