import type { ClassPermission } from '../../../shared/classes/rules/permissions.ts';
import type { FormDraft } from '../../parts/draft-form.tsx';
import { SelectField } from '../../parts/form.tsx';
import { GroupField } from '../../parts/group-choice.tsx';
import type { RightsDraft } from './class-draft.ts';

const permissions: readonly (readonly [ClassPermission, string])[] = [
  ['none', 'No access: the class is hidden.'],
  ['read', 'Read: see the class, and the objects that allow it.'],
  ['create_objects', 'Read and create: also add objects.'],
];

interface RightsFieldsProps {
  readonly draft: Pick<FormDraft<RightsDraft>, 'values' | 'text'>;
  readonly instance: string;
}

/** Fields for who may do what with the objects of a class. */
export function RightsFields({ draft: { values, text }, instance }: RightsFieldsProps) {
  return (
    <>
      <SelectField
        label="Everyone"
        hint="API keys, and users who are not in the group."
        options={permissions}
        {...text('other_permissions')}
      />
      <GroupField
        instance={instance}
        none="No group"
        hint="Give members of a group more rights."
        {...text('group')}
      />
      {values.group !== '' && (
        <SelectField
          label="Members of the group"
          hint="Members see the objects that are given to the group: select them on the tab Objects, and choose Edit a field."
          options={permissions}
          {...text('group_permissions')}
        />
      )}
    </>
  );
}

/** Returns rights as the interface takes them. */
export function rightsBody({ group, group_permissions, other_permissions }: RightsDraft) {
  return { group: group === '' ? null : Number(group), group_permissions, other_permissions };
}
