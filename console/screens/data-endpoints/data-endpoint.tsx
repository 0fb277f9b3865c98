import type { ScreenProps } from '../../core/router.ts';
import { Card } from '../../parts/card.tsx';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { type DataEndpoint, dataEndpointType } from './data-endpoint-data.ts';
import { DataEndpointForm } from './data-endpoint-form.tsx';
import { EndpointPreview } from './endpoint-preview.tsx';

/** A data endpoint: how to call it, its first objects, and its fields. */
export function Screen({ names: { instance = '', name: key = '' } }: ScreenProps) {
  const endpoint = useItem<DataEndpoint>(dataEndpointType, instance, key);
  return (
    <ItemScreen
      of={endpoint}
      about={endpoint.data?.description}
      isNamed
      deletion={({ name }) => ({
        text: 'Apps that call it get 404. The objects are not deleted.',
        name,
      })}
    >
      {(data) => (
        <>
          <EndpointPreview instance={instance} endpoint={data} />
          <Card title="Settings" id="settings">
            <DataEndpointForm instance={instance} item={data} onSend={endpoint.save} />
          </Card>
        </>
      )}
    </ItemScreen>
  );
}
