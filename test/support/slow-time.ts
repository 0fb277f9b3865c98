/*
 * For `npm run test:dynamodb`: the emulator takes many times as long as the table for what it is asked, so the time by
 * which limits are kept goes more slowly. What the clock shows is not touched.
 */

const slowness = 10;
const realNow = performance.now.bind(performance);
performance.now = () => realNow() / slowness;
