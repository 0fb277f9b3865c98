/*
 * For `npm run test:dynamodb`: the emulator is many times slower than the table, so the time of limits is slowed down.
 * The clock is unchanged.
 */

const slowness = 10;
// this runs for each file, perhaps in one process: the method of the prototype is never replaced
const realNow: () => number = Reflect.get(Object.getPrototypeOf(performance), 'now').bind(
  performance,
);
performance.now = () => realNow() / slowness;
