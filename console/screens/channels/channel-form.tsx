import { useList } from '../../core/load.ts';
import { DraftForm, type FormDraft, type ItemFormProps } from '../../parts/draft-form.tsx';
import { CheckField, DescriptionField, NameField, SelectField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type Group, groupType } from '../users/user-data.ts';
import { type Channel, permissionTexts } from './channel-data.ts';

const permissions = Object.entries(permissionTexts);

/** The fields of a channel. */
export function ChannelForm({ instance, item, onSend, onCancel }: ItemFormProps<Channel>) {
  const isNew = item === undefined;
  const start: NewChannel = item ?? newChannel;
  return (
    <DraftForm
      start={start}
      verb={isNew ? 'Create the channel' : 'Save'}
      onSend={({ name, type, ...others }) => onSend(isNew ? { name, type, ...others } : others)}
      onCancel={onCancel}
    >
      {(draft) => (
        <>
          {isNew && (
            <>
              <NameField {...draft.text('name')} />
              <SelectField
                label="Rooms"
                options={[
                  ['default', 'no: every listener gets every message'],
                  ['separate_rooms', 'yes: each message is for one room'],
                ]}
                hint="This cannot be changed later."
                {...draft.text('type')}
              />
            </>
          )}
          <DescriptionField {...draft.text('description')} />
          <CheckField
            label="Clients may publish"
            hint="Otherwise the only messages are those about changes of data."
            {...draft.check('custom_publish')}
          />
          <SelectField
            label="Every user may"
            options={permissions}
            {...draft.text('other_permissions')}
          />
          <GroupFields instance={instance} draft={draft} />
        </>
      )}
    </DraftForm>
  );
}

type NewChannel = Omit<Channel, 'created_at' | 'updated_at'>;

const newChannel: NewChannel = {
  name: '',
  description: '',
  type: 'default',
  group: null,
  group_permissions: 'none',
  other_permissions: 'none',
  custom_publish: true,
};

interface GroupFieldsProps {
  readonly instance: string;
  readonly draft: FormDraft<Pick<Channel, 'group' | 'group_permissions'>>;
}

function GroupFields({ instance, draft: { values, errors, text, change } }: GroupFieldsProps) {
  const all = useList<Group>(groupType.path(instance), { fields: 'id,label' });
  return (
    <LoadedData of={all}>
      {(known) => (
        <div class="row">
          <SelectField
            label="Group"
            value={String(values.group ?? '')}
            onValue={(value) => change({ group: value === '' ? null : Number(value) })}
            error={errors.group}
            options={[
              ['', 'none'],
              ...known.map(({ id, label }) => [String(id), label || `Group ${id}`] as const),
            ]}
          />
          <SelectField
            label="Its members may"
            options={permissions}
            isDisabled={values.group === null}
            {...text('group_permissions')}
          />
        </div>
      )}
    </LoadedData>
  );
}
