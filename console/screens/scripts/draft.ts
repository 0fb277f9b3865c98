import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { send } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { itemPath } from '../../core/record-type.ts';
import { type Script, scriptType } from './script-data.ts';

/** A script as it is edited. */
export interface ScriptDraft {
  readonly label: string;
  readonly description: string;
  readonly runtime_name: string;
  readonly source: string;
  /** JSON text. */
  readonly config: string;
}

/** Returns a script as it is edited before the first change. */
export function toScriptDraft({
  label,
  description,
  runtime_name,
  source,
  config,
}: Script): ScriptDraft {
  return { label, description, runtime_name, source, config: writeExactJson(config, 2) };
}

/** Checks whether a draft differs from the script that it was made of. */
export function isDraftChanged(draft: ScriptDraft, script: Script): boolean {
  return JSON.stringify(draft) !== JSON.stringify(toScriptDraft(script));
}

/**
 * Reads the script that a draft was made of, if it was changed on the server since.
 *
 * @throws ApiProblem
 */
export async function findNewer(instance: string, script: Script): Promise<Script | undefined> {
  const current = await send<Script>({
    method: 'GET',
    path: itemPath(scriptType, instance, script.id),
  });
  return current.updated_at === script.updated_at ? undefined : current;
}

/**
 * Sends what a draft changes of a script.
 *
 * @throws ApiProblem also when the configuration is no JSON object
 */
export function sendDraft(instance: string, draft: ScriptDraft, script: Script): Promise<Script> {
  const before = toScriptDraft(script);
  const { label, description, runtime_name, source, config } = draft;
  const body = {
    ...(label !== before.label && { label }),
    ...(description !== before.description && { description }),
    ...(runtime_name !== before.runtime_name && { runtime_name }),
    ...(source !== before.source && { source }),
    ...(config !== before.config && { config: parseObject(config) }),
  };
  return send({ method: 'PATCH', path: itemPath(scriptType, instance, script.id), body });
}
