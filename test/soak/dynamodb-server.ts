/* A server on a table of DynamoDB, in a process of its own: prints its address, and ends with its standard input. */
import { startApi } from '../support/api.ts';

const api = await startApi();
process.stdout.write(`${api.url}\n`);
process.stdin.on('end', () => api.close()).resume();
