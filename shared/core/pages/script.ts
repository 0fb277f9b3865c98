import { formScript } from './script-forms.ts';
import { navigationScript } from './script-navigation.ts';

/**
 * The script of every page: plain text that browsers run as it stands, without a build. It holds the keys, follows
 * links with them and sends the forms. There is one copy; the policy of pages names its hash.
 */
export const script = `'use strict';
(() => {
${navigationScript}
${formScript}
start();
})();
`;
