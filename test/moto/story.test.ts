import { afterAll } from 'vitest';
import { removeAssemblies } from './stack/assembly.ts';

import './stack/story.ts';

afterAll(removeAssemblies);
