/*
 * For `npm run test:dynamodb`: the emulator is many times slower than the table, so the time of limits is slowed down.
 * The clock is unchanged.
 */

const slowness = 10;
const realNow = performance.now.bind(performance);
performance.now = () => realNow() / slowness;
