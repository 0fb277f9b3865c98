import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { notify } from '../../core/notices.ts';
import { itemPlace } from '../../core/record-type.ts';
import { currentLocation, href, navigate, type ScreenProps } from '../../core/router.ts';
import { ScreenFrame } from '../../parts/page.tsx';
import { type DataEndpoint, dataEndpointType } from './data-endpoint-data.ts';
import { DataEndpointForm } from './data-endpoint-form.tsx';

/** Makes a data endpoint; its class may be in the query of the place. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const sends = { method: 'POST', path: dataEndpointType.path(instance) } as const;
  const create = async (body: object) => {
    const made = await send<DataEndpoint>({ ...sends, body });
    notify('Endpoint created.');
    navigate(itemPlace(dataEndpointType, instance, made));
  };
  return (
    <ScreenFrame
      title="New data endpoint"
      about="A data endpoint is a saved list of the objects of one class: filter, order and fields can be changed here, without changing your apps."
      above={[{ text: 'Endpoints', href: href(at`/i/${instance}/endpoints`) }]}
    >
      <section class="card">
        <DataEndpointForm
          instance={instance}
          className={currentLocation.value.query.get('class') ?? ''}
          sends={sends}
          onSend={create}
        />
      </section>
    </ScreenFrame>
  );
}
