import type { ClassPermission } from '../../../shared/classes/rules/permissions.ts';
import type { FormDraft } from '../../parts/draft-form.tsx';
import { SelectField } from '../../parts/form.tsx';
import type { Group } from '../users/user-data.ts';
import type { ClassDraft } from './class-draft.ts';

const permissions: readonly (readonly [ClassPermission, string])[] = [
  ['none', 'Nothing: the class is hidden'],
  ['read', 'Read: see the class, and the objects that allow it'],
  ['create_objects', 'Read and create: also add objects'],
];

interface ClassRightsProps {
  readonly draft: FormDraft<ClassDraft>;
  readonly groups: readonly Group[];
}

/** Fields for who may do what with the objects of a class. */
export function ClassRightsFields({ draft: { text }, groups }: ClassRightsProps) {
  return (
    <>
      <h2>Rights</h2>
      <p class="about">
        They hold for API keys and users. Who may read, change and delete an object, its own rights
        say.
      </p>
      <SelectField
        label="Group"
        options={[
          ['', 'none'],
          ...groups.map(({ id, label }) => [String(id), label || `group ${id}`] as const),
        ]}
        {...text('group')}
      />
      <SelectField
        label="Users in the group may"
        options={permissions}
        {...text('group_permissions')}
      />
      <SelectField label="All others may" options={permissions} {...text('other_permissions')} />
    </>
  );
}
