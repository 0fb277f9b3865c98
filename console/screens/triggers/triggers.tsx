import type { triggerFields } from '../../../functions/triggers/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';
import { href } from '../../core/router.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { defineScreen } from '../../parts/define-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';

/** A trigger, as the interface shows it. */
type Trigger = ShownRecord<(typeof triggerFields)['v1.1']>;

const type: RecordType<Pick<Trigger, 'id' | 'label'>> = {
  noun: 'trigger',
  title: 'Triggers',
  path: (instance) => at`instances/${instance}/triggers/`,
  place: (instance) => at`/i/${instance}/triggers`,
  keyOf: ({ id }) => id,
  nameOf: ({ id, label }) => label || `Trigger ${id}`,
};

const signalTexts: Readonly<Record<Trigger['signal'], string>> = {
  post_create: 'Created',
  post_update: 'Changed',
  post_delete: 'Deleted',
};
const consumers = ['triggers', 'triggers of deleted classes and scripts'];

/** The triggers of an instance. */
export const Screen = defineScreen<Trigger>({
  type,
  about: 'A trigger runs a script each time an object is created, changed or deleted.',
  empty: 'No triggers yet. Create one to run a script when data changes.',
  note: ({ instance }) => <DeadLetterNote instance={instance} consumers={consumers} />,
  columns: ({ instance }) => {
    const scripts = useScripts(instance).data ?? [];
    return [
      linkColumn(type, instance, 'Trigger'),
      {
        name: 'Class',
        cell: (trigger) => (
          <a href={href(at`/i/${instance}/data/${trigger.class}`)}>{trigger.class}</a>
        ),
      },
      { name: 'Event', cell: ({ signal }) => signalTexts[signal] },
      {
        name: 'Script',
        cell: ({ script }) => <ScriptLink {...{ instance, scripts, id: script }} />,
      },
      { name: 'Description', cell: ({ description }) => description },
    ];
  },
  form: [
    { kind: 'text', name: 'label', label: 'Label' },
    { kind: 'class', name: 'class', label: 'Class', hint: 'user_profile: the profiles of users.' },
    {
      kind: 'choice',
      name: 'signal',
      label: 'When an object is',
      options: Object.entries(signalTexts),
      start: 'post_create',
    },
    { kind: 'script', name: 'script' },
    { kind: 'lines', name: 'description', label: 'Description' },
  ],
  remove: () => 'Its runs are deleted. The script is not.',
  after: ({ of }) => <TraceListView path={below(of.path)`traces/`} />,
});
