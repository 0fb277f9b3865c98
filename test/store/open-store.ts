/* Opens the store in the given folder, and closes it: in a process of its own, which LMDB may crash. */
import { openStore } from '../../shared/platforms/local/store/store.ts';

const [path = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now });
await store.close();
