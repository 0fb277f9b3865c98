import { send } from '../../core/api.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { DraftForm } from '../../parts/draft-form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ClassRecord, classPath } from './class-data.ts';
import { draftRights, type RightsDraft } from './class-draft.ts';
import { ClassFrame } from './class-frame.tsx';
import { RightsFields, rightsBody } from './class-rights.tsx';

/** Who may use the objects of a class. */
export function Screen({ names: { instance = '', class: name = '' } }: ScreenProps) {
  const path = classPath(instance, name);
  const loaded = useRecord<ClassRecord>(path);
  const save = async (rights: RightsDraft, { revision }: ClassRecord) => {
    const body = { ...rightsBody(rights), expected_revision: revision };
    await send({ method: 'PATCH', path, body });
    notify('Saved.');
    loaded.reload();
  };
  return (
    <ClassFrame
      instance={instance}
      name={name}
      tab="Rights"
      about="These apply to API keys and users. Each object has its own permissions as well."
    >
      <LoadedData of={loaded}>
        {(record) => (
          <DraftForm
            key={record.updated_at}
            start={draftRights(record)}
            verb="Save"
            sends={{ method: 'PATCH', path }}
            onSend={(rights) => save(rights, record)}
          >
            {(draft) => <RightsFields draft={draft} instance={instance} />}
          </DraftForm>
        )}
      </LoadedData>
    </ClassFrame>
  );
}
