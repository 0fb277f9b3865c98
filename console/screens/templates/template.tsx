import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { RenameDialog } from '../../parts/rename-dialog.tsx';
import type { Template } from './template-data.ts';
import { TemplateEditor } from './template-editor.tsx';

/** A template: its editor with a preview. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', name = '' } = names;
  const [isRenaming, setRenaming] = useState(false);
  const path = at`instances/${instance}/snippets/templates/${name}/`;
  const list = at`/i/${instance}/templates`;
  const template = useLoad<Template>((signal) => send({ method: 'GET', path, signal }), [path]);
  const remove = async (data: Template) => {
    const isSure = await confirm({
      title: `Delete the template ${data.name}`,
      text: 'Requests that name it fail from now on.',
      verb: 'Delete the template',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The template is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={name}
      above={[{ text: 'Templates', href: href(list) }]}
      actions={
        template.data !== undefined && (
          <>
            <button type="button" onClick={() => setRenaming(true)}>
              Rename…
            </button>
            <DangerButton of={template} onAct={remove} />
          </>
        )
      }
    >
      <LoadedData of={template}>
        {(data) => <TemplateEditor instance={instance} template={data} />}
      </LoadedData>
      {isRenaming && (
        <RenameDialog
          thing="template"
          path={path}
          list={list}
          name={name}
          onClose={() => setRenaming(false)}
        />
      )}
    </ScreenFrame>
  );
}
