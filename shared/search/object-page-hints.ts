import type { ClassContext } from '../classes/class-record.ts';
import { compiledClass } from '../classes/compiled-classes.ts';
import { instanceBase } from '../core/resource/links.ts';
import type { PageHints } from '../core/resource/presentation/page-hints.ts';
import { queryableFields } from './query/queryable.ts';

/** Returns what pages of the objects of a class show in addition: links to other objects, and a filter form. */
export function objectPageHints(context: ClassContext): PageHints {
  const { loaded, caches } = context;
  const base = instanceBase(context);
  return {
    listOf: (target) => {
      if (target === 'user') return `${base}/users/`;
      const name = target === 'self' ? loaded.class.data.name : target;
      return `${base}/classes/${encodeURIComponent(name)}/objects/`;
    },
    queryable: queryableFields(compiledClass(caches, loaded.class)),
  };
}
