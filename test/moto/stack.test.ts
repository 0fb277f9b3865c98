import { afterAll } from 'vitest';
import { removeAssemblies } from './stack/assembly.ts';

// in one file: each process that bundles all functions takes half a minute
import './stack/judge.ts';

afterAll(removeAssemblies);
