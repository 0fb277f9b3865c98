import type { Known } from '../../shared/core/resource/route.ts';
import { scriptEntity } from '../../shared/store/entities.ts';
import type { Key } from '../../shared/store/store.ts';

/** The list of scripts below the version. */
export const path = '/instances/{instance}/snippets/scripts/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/codeboxes/';

/** Returns paths below the list, by version. */
export function below(rest: string): { readonly 'v1.1': string; readonly v1: string } {
  return { 'v1.1': path + rest, v1: v1Path + rest };
}

/** Returns the key of the script that a path names. */
export function scriptKey({
  instance,
  params,
}: Pick<Known, 'instance' | 'params'>): Key | undefined {
  return instance === undefined || params.id === undefined
    ? undefined
    : scriptEntity.key(instance, params.id);
}
