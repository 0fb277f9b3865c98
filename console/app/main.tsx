import { render } from 'preact';

const root = document.getElementById('app');
if (root !== null) render(<h1>Groundwork console</h1>, root);
