/*
 * Writes to the store in the given folder until it is killed, and prints each acknowledged transaction as a line of
 * JSON. Run by the crash test in a process of its own.
 */
import { writeSync } from 'node:fs';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import { del, newId, put, write } from './fixture.ts';

const [path = '', round = '0'] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now });
const counter = { pk: 'CRASH#SEQUENCE', sk: 'number' };

/** Creates a pair of items and then updates or deletes it, in a transaction each. */
async function writePair(writer: string): Promise<void> {
  const number = await store.next(counter);
  const keys = ['LEFT', 'RIGHT'].map((pk) => ({ pk, sk: `${round}-${writer}-${number}` }));
  for (const step of [1, 2]) {
    if (step === 2 && number % 5 === 0) {
      const version = await write(store, ...keys.map((key) => del(key)));
      report({ number, sk: keys[0]?.sk, version, deleted: true });
      return;
    }
    const indexes = {
      updated: `${step}-${newId()}`,
      ...(number % 2 && { slot0: `s${step}${number}` }),
    };
    const data = { number, step, indexes };
    const version = await write(store, ...keys.map((key) => put(key, { data, indexes })));
    report({ number, sk: keys[0]?.sk, version, step });
  }
}

function report(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function writeForEver(writer: string): Promise<never> {
  for (;;) await writePair(writer);
}

await Promise.all(Array.from({ length: 16 }, (_, writer) => writeForEver(String(writer))));
