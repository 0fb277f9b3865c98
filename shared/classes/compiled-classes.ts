import { type Caches, defineCache } from '../core/resource/caches.ts';
import type { ClassData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { type CompiledClass, compileClass } from './rules/compiled-class.ts';

/** Compiled classes by the version of their record, so that an entry is never outdated. */
const compiledClasses = defineCache<string, CompiledClass>();

/** Compiles the class of a record, once for each version. */
export function compiledClass(caches: Caches, { data, version }: Stored<ClassData>): CompiledClass {
  const cache = compiledClasses(caches);
  const known = cache.get(version);
  if (known !== undefined) return known;
  const compiled = compileClass(data, caches.filesAt);
  cache.set(version, compiled);
  return compiled;
}
