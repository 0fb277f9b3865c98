#!/usr/bin/env node
/* The command `groundwork`: runs `groundwork.ts`. */
import { checkMachine, importBundle } from './bundle.mjs';

checkMachine();
const { main } = await importBundle('groundwork');
await main(process.argv.slice(2));
