import { byItem, type Caches, defineCache, type ItemState } from '../core/routing/caches.ts';
import type { Stored } from '../store/store.ts';
import type { ClassData } from '../table/records/records.ts';
import { type CompiledClass, compileClass } from './rules/compiled-class.ts';

/** Compiled classes by record and version, so that an entry is never outdated. */
const compiledClasses = defineCache<ItemState, CompiledClass>(byItem);

/** Compiles the class of a record, once for each version. */
export function compiledClass(caches: Caches, classRecord: Stored<ClassData>): CompiledClass {
  const cache = compiledClasses(caches);
  const known = cache.get(classRecord);
  if (known !== undefined) return known;
  const compiled = compileClass(classRecord.data, caches.filesAt);
  cache.set(classRecord, compiled);
  return compiled;
}
