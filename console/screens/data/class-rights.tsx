import type { ClassPermission } from '../../../shared/classes/rules/permissions.ts';
import { SelectField } from '../../parts/form.tsx';
import type { Group } from '../users/user-data.ts';
import type { ClassDraft } from './class-draft.ts';

const permissions: readonly (readonly [ClassPermission, string])[] = [
  ['none', 'Nothing: the class is hidden'],
  ['read', 'Read: see the class, and the objects that allow it'],
  ['create_objects', 'Read and create: also add objects'],
];

interface ClassRightsProps {
  readonly draft: ClassDraft;
  readonly onChange: (change: Partial<ClassDraft>) => void;
  readonly groups: readonly Group[];
  readonly errors: Readonly<Record<string, string>>;
}

/** Fields for who may do what with the objects of a class. */
export function ClassRightsFields({ draft, onChange, groups, errors }: ClassRightsProps) {
  return (
    <>
      <h2>Rights</h2>
      <p class="about">
        They hold for API keys and users. Who may read, change and delete an object, its own rights
        say.
      </p>
      <SelectField
        label="Group"
        value={draft.group}
        onValue={(group) => onChange({ group })}
        error={errors.group}
        options={[
          ['', 'none'],
          ...groups.map(({ id, label }) => [String(id), label || `group ${id}`] as const),
        ]}
      />
      <SelectField
        label="Users in the group may"
        value={draft.group_permissions}
        onValue={(value) => onChange({ group_permissions: toPermission(value) })}
        error={errors.group_permissions}
        options={permissions}
      />
      <SelectField
        label="All others may"
        value={draft.other_permissions}
        onValue={(value) => onChange({ other_permissions: toPermission(value) })}
        error={errors.other_permissions}
        options={permissions}
      />
    </>
  );
}

function toPermission(value: string): ClassPermission {
  return permissions.find(([each]) => each === value)?.[0] ?? 'none';
}
