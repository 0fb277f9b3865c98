/*
 * Bundles all programs of the server, `npm run bundle`: its user then needs no permission to write to their folder.
 */
import { bundleAll, checkMachine } from './bundle.mjs';

checkMachine();
await bundleAll();
