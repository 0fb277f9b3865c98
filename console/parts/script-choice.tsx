import { at } from '../../shared/values/text/request-path.ts';
import { type Loading, useList } from '../core/load.ts';
import { href, hrefOfForm } from '../core/router.ts';
import { SelectField, type TextValue } from './form.tsx';
import { LoadedData } from './loaded.tsx';

/** A script by its name. */
export interface ScriptName {
  readonly id: number;
  readonly label: string;
}

/** Loads the names of an instance's scripts. */
export function useScripts(instance: string): Loading<ScriptName[]> {
  return useList(at`instances/${instance}/snippets/scripts/`, { fields: 'id,label' });
}

interface ScriptLinkProps {
  readonly instance: string;
  readonly scripts: readonly ScriptName[];
  readonly id: number;
}

/** A link to a script, with its name. */
export function ScriptLink({ instance, scripts, id }: ScriptLinkProps) {
  const script = scripts.find((each) => each.id === id) ?? { id, label: '' };
  return <a href={href(at`/i/${instance}/scripts/${id}`)}>{scriptText(script)}</a>;
}

interface ScriptFieldProps extends Omit<ScriptLinkProps, 'id'>, TextValue {}

/** A choice of one script: its id as text, empty before one is chosen. */
export function ScriptField({ instance, scripts, ...field }: ScriptFieldProps) {
  const options = scripts.map((script) => [String(script.id), scriptText(script)] as const);
  const none = <a href={hrefOfForm(at`/i/${instance}/scripts`)}>Create a script first.</a>;
  return (
    <SelectField
      label="Script to run"
      required
      options={[['', 'Choose a script'], ...options]}
      {...(scripts.length === 0 && { hint: none })}
      {...field}
    />
  );
}

/** A choice of one script of an instance, whose scripts it loads. */
export function LoadedScriptField(props: Omit<ScriptFieldProps, 'scripts'>) {
  const scripts = useScripts(props.instance);
  return <LoadedData of={scripts}>{(all) => <ScriptField {...props} scripts={all} />}</LoadedData>;
}

function scriptText({ id, label }: ScriptName): string {
  return label === '' ? `Script ${id}` : label;
}
