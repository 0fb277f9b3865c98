import { at } from '../../shared/values/text/request-path.ts';
import { useList } from '../core/load.ts';
import { SelectField, type TextValue } from './form.tsx';
import { LoadedData } from './loaded.tsx';

interface GroupName {
  readonly id: number;
  readonly name: string | null;
  readonly label: string;
}

/** Returns what a group is called. */
export function nameOfGroup({ id, name, label }: GroupName): string {
  return label.trim() || name || `Group ${id}`;
}

interface GroupFieldProps extends TextValue {
  readonly instance: string;
  readonly label?: string;
  readonly hint?: string;
  /** Text of the choice of no group. */
  readonly none?: string;
}

/** A choice of a group, or of none: its id as text. */
export function GroupField({ instance, none = 'None', ...field }: GroupFieldProps) {
  const all = useList<GroupName>(at`instances/${instance}/groups/`, { fields: 'id,label,name' });
  return (
    <LoadedData of={all}>
      {(known) => (
        <SelectField
          label="Group"
          {...field}
          options={[
            ['', none],
            ...known.map((group) => [String(group.id), nameOfGroup(group)] as const),
          ]}
        />
      )}
    </LoadedData>
  );
}
