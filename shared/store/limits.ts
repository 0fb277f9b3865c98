/* The limits of a table on AWS, kept on every platform, so that an app does not pass on one machine only. */

/** Bytes of one item, its keys included. */
export const maxItemBytes = 400 * 1024;

/** Bytes of all items that one transaction puts. */
export const maxTransactionBytes = 4 * 1024 * 1024;

/** Writes in one transaction. */
export const maxWrites = 100;

/** Items that one query may ask for. */
export const maxQueryLimit = 1000;
