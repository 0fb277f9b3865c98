import { chmodSync } from 'node:fs';
import {
  type BoxedLanguage,
  boxedNode,
  boxedPython,
  startInBox,
} from '../aws-emulator/lambda-box.ts';
import { type Host, openZips, packNode, secret, startedAgain } from './hosts.ts';
import { levels } from './levels.ts';
import { packPython } from './python-hosts.ts';

/** The name of the host whose functions run in a box like Lambda's. */
export const boxName = "the zip in a box like Lambda's";

const hasBoxes = levels.includes('bubblewrap');
const { GROUNDWORK_TEST_NODE: lambdaNode = process.execPath } = process.env;

/** The languages of the box; undefined, with a message, if they are missing. */
export const boxed = {
  node: hasBoxes ? boxedNode(lambdaNode) : undefined,
  python: hasBoxes ? await boxedPython(['python3', '/usr/bin/python3']) : undefined,
} as const;

if (!hasBoxes) {
  process.stdout.write("skipped: scripts in a box like Lambda's (apt-get install bubblewrap)\n");
}
if (boxed.python?.needsPath === false) {
  process.stdout.write('skipped: a Python that needs LD_LIBRARY_PATH (pyenv builds one)\n');
}

/** The function that opens the host of JavaScript, by its name, if this machine has it. */
export const boxedNodeHosts = hostsOf(boxed.node, packNode);
/** The same for Python. */
export const boxedPythonHosts = hostsOf(boxed.python, packPython);

function hostsOf(
  language: BoxedLanguage | undefined,
  pack: (source: string) => Uint8Array,
): ReadonlyMap<string, () => Host> {
  if (language === undefined) return new Map();
  const variables = { AWS_SECRET_ACCESS_KEY: secret, GROUNDWORK_TEST_SECRET: secret };
  const open = () =>
    openZips(pack, async (folder) => {
      chmodSync(folder, 0o755); // for the user of the box
      return startedAgain(() => startInBox(language, folder, { variables }));
    });
  return new Map([[boxName, open]]);
}
