import type { Key } from '../store/store.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';

/* Parts of which the keys of several kinds are made. Ids have ten digits, so that their text order is their number order. */

/** Returns the main partition of the contents under a data id. */
export const ofInstance = (data: number) => `INSTANCE#${data}`;

/** Returns the main partition of an instance itself, whatever its data id is. */
export const ofOwn = (instance: number) => ofInstance(ownerOfData(instance));

/** Returns a name as it is: keys contain it. */
export const byName = (name: string) => name;

/** Writes an id so that text order is number order. */
export function idKey(id: number): string {
  return String(id).padStart(10, '0');
}

/** Returns the id or list position with which a sort key ends. */
export function idIn({ sk }: Key): number {
  let id = 0; // digit by digit: lists read a hundred of them
  for (let at = sk.lastIndexOf('#') + 1; at < sk.length; at += 1) {
    id = id * 10 + sk.charCodeAt(at) - 48;
  }
  return id;
}

const dueDigits = 15;

/** Writes a time in epoch milliseconds so that text order is time order. */
export function dueKey(due: number): string {
  return String(Math.floor(due)).padStart(dueDigits, '0');
}

/** Returns when the job at a key is due, in epoch milliseconds. */
export function dueOf({ sk }: Key): number {
  return Number(sk.slice(0, dueDigits));
}
