import { prepareControls } from './controls.ts';
import { startEditors } from './editors.ts';
import { startFilters } from './filter.ts';
import { startForms } from './forms.ts';
import { showKeys } from './keys.ts';
import { startNavigation } from './navigation.ts';

/* The script of every page: stores the keys, sends them when a link is followed, and sends the forms. */

document.documentElement.classList.add('scripted');
startForms();
startFilters();
startEditors();
showKeys();
prepareControls();
startNavigation();
