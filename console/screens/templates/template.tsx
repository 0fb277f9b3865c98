import type { ScreenProps } from '../../core/router.ts';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { type Template, templateType } from './template-data.ts';
import { TemplateEditor } from './template-editor.tsx';

/** A template: its editor with a preview. */
export function Screen({ names: { instance = '', name = '' } }: ScreenProps) {
  const template = useItem<Template>(templateType, instance, name);
  return (
    <ItemScreen
      of={template}
      isNamed
      deletion={() => ({ text: 'Requests that name it fail from now on.' })}
    >
      {(data) => <TemplateEditor instance={instance} template={data} onSave={template.save} />}
    </ItemScreen>
  );
}
