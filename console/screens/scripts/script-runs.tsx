import type { RequestPath } from '../../../shared/values/text/request-path.ts';
import { useLoad } from '../../core/load.ts';
import { setQuery } from '../../core/router.ts';
import { SelectField } from '../../parts/form.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { chosenRunner, readRunners } from './runners.ts';

interface ScriptRunsProps {
  readonly instance: string;
  /** Id of the script. */
  readonly script: number;
  /** Path of the list that the place shows. */
  readonly path: RequestPath;
}

/** The runs of a script that were started directly, or those of what else runs it. */
export function ScriptRuns({ instance, script, path }: ScriptRunsProps) {
  const runners = useLoad(() => readRunners(instance, script), [instance, script]).data ?? [];
  const options = runners.map(({ kind, name, place, class: of }): [string, string] => {
    return [place, `${kind} ${name}${of === undefined ? '' : ` on ${of}`}`];
  });
  const chosen = chosenRunner();
  const isKnown = chosen === undefined || runners.some(({ place }) => place === chosen);
  if (!isKnown) options.push([chosen, chosen]); // deleted, or of another script
  return (
    <>
      {options.length > 0 && (
        <div class="narrow">
          <SelectField
            label="Runs of"
            options={[['', 'the script itself'], ...options]}
            value={chosen ?? ''}
            onValue={(by) => setQuery({ by, run: undefined })}
          />
        </div>
      )}
      <TraceListView path={path} isTab />
    </>
  );
}
