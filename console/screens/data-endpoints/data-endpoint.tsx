import { defineItem } from '../../parts/item-screen.tsx';
import { type DataEndpoint, dataEndpointType } from './data-endpoint-data.ts';
import { DataEndpointForm } from './data-endpoint-form.tsx';
import { EndpointPreview } from './endpoint-preview.tsx';

/** A data endpoint: how to call it, its first objects, and its fields. */
export const Screen = defineItem<DataEndpoint>({
  type: dataEndpointType,
  isNamed: true,
  remove: ({ name }) => ({ text: 'Apps that call it get 404. The objects are not deleted.', name }),
  before: ({ of: { instance }, item }) => (
    <>
      <p class="about">{item.description}</p>
      <EndpointPreview instance={instance} endpoint={item} />
    </>
  ),
  form: DataEndpointForm,
});
