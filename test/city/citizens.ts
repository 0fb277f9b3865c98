import type { Citizen } from './citizen.ts';
import { architect } from './citizens/architect.ts';
import { archivist } from './citizens/archivist.ts';
import { auditor } from './citizens/auditor.ts';
import { batcher } from './citizens/batcher.ts';
import { bully } from './citizens/bully.ts';
import { crowd } from './citizens/crowd.ts';
import { curator } from './citizens/curator.ts';
import { editor } from './citizens/editor.ts';
import { herald } from './citizens/herald.ts';
import { locksmith } from './citizens/locksmith.ts';
import { newcomer } from './citizens/newcomer.ts';
import { postman } from './citizens/postman.ts';
import { runner } from './citizens/runner.ts';
import { secretary } from './citizens/secretary.ts';
import { shopkeeper } from './citizens/shopkeeper.ts';
import { spy } from './citizens/spy.ts';
import { stationer } from './citizens/stationer.ts';
import { stranger } from './citizens/stranger.ts';
import { timekeeper } from './citizens/timekeeper.ts';
import { watchman } from './citizens/watchman.ts';

/** All citizens, in any order: each has its own random numbers. */
export const citizens: readonly Citizen[] = [
  shopkeeper,
  batcher,
  architect,
  locksmith,
  auditor,
  crowd,
  archivist,
  curator,
  stationer,
  runner,
  watchman,
  editor,
  herald,
  timekeeper,
  newcomer,
  postman,
  secretary,
  spy,
  stranger,
  bully,
];
