/* The limits of a table on AWS, enforced on every platform, so that no app works on one machine only. */

/** Bytes of one item, its keys included. */
export const maxItemBytes = 400 * 1024;

/** Bytes of all items that one transaction puts. */
export const maxTransactionBytes = 4 * 1024 * 1024;

/** Writes in one transaction. */
export const maxWrites = 100;

/** Maximum items of one query. */
export const maxQueryLimit = 1000;
