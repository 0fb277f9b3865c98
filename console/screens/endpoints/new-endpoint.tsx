import { send } from '../../core/api.ts';
import { itemPlace } from '../../core/record-type.ts';
import { navigate } from '../../core/router.ts';
import { FormDialog } from '../../parts/draft-form.tsx';
import { CheckField, NameField } from '../../parts/form.tsx';
import { ScriptField, type ScriptName } from '../../parts/script-choice.tsx';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';

interface NewEndpointProps {
  readonly instance: string;
  /** Scripts to choose from: the first one is chosen. */
  readonly scripts: readonly ScriptName[];
  readonly onClose: () => void;
}

/** A dialog for another script endpoint. */
export function NewEndpoint({ instance, scripts, onClose }: NewEndpointProps) {
  const create = async (body: object) => {
    const path = scriptEndpointType.path(instance);
    const made = await send<ScriptEndpoint>({ method: 'POST', path, body });
    navigate(itemPlace(scriptEndpointType, instance, made));
  };
  return (
    <FormDialog
      title="New script endpoint"
      start={{ name: '', script: String(scripts[0]?.id ?? ''), public: false }}
      verb="Create endpoint"
      onSend={(values) => create({ ...values, script: Number(values.script) })}
      onClose={onClose}
    >
      {({ text, check }) => (
        <>
          <NameField {...text('name')} />
          <ScriptField instance={instance} scripts={scripts} {...text('script')} />
          <CheckField label={publicLabel} {...check('public')} />
        </>
      )}
    </FormDialog>
  );
}

/** Label of what makes an endpoint public. */
export const publicLabel = 'Anyone with the public link can call it';
