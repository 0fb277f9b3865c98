import { render } from 'preact';
import { watchTheme } from '../core/theme.ts';
import { Shell } from './shell.tsx';

watchTheme();
const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren(); // the text shown while this script was loaded
  render(<Shell />, root);
}
