import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { notify } from '../../core/notices.ts';
import { AreaField, Form } from '../../parts/form.tsx';
import type { RoomMessage } from './channel-data.ts';
import type { TailSource } from './tail.ts';

/** Publishes a message. */
export function Publish({ source }: { readonly source: TailSource }) {
  const { instance, channel, room } = source;
  const [payload, setPayload] = useState('{ "text": "hello" }');
  const publish = async () => {
    const path = at`instances/${instance}/channels/${channel}/publish/`;
    const body = { payload: parseObject(payload), ...(room !== undefined && { room }) };
    const { id } = await send<RoomMessage>({ method: 'POST', path, body });
    notify(`Message ${id} is published.`);
  };
  return (
    <section class="card" aria-labelledby="publish">
      <h2 id="publish">Publish</h2>
      <Form verb="Publish" onSend={publish}>
        {(errors) => (
          <AreaField
            label="Payload, as JSON"
            value={payload}
            onValue={setPayload}
            error={errors.payload}
            rows={3}
            isCode
          />
        )}
      </Form>
    </section>
  );
}
