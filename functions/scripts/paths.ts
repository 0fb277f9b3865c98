import { recordAt } from '../../shared/core/family.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';

/** The list of scripts below the version. */
export const scriptsPath = '/instances/{instance}/snippets/scripts/';
/** The same in version 1. */
export const scriptsV1Path = '/instances/{instance}/codeboxes/';

/** Returns paths below the list, by version. */
export function belowScripts(rest: string): { readonly 'v1.1': string; readonly v1: string } {
  return { 'v1.1': scriptsPath + rest, v1: scriptsV1Path + rest };
}

/** The script that a path names. */
export const scriptOfPath = recordAt(scriptEntity, ['instance', '{id}']);
