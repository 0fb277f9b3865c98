import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { notify } from '../../core/notices.ts';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { AreaField } from '../../parts/form.tsx';
import type { RoomMessage } from './channel-data.ts';
import type { TailSource } from './tail.ts';

/** Publishes a message. */
export function Publish({ source }: { readonly source: TailSource }) {
  const { instance, channel, room } = source;
  const path = at`instances/${instance}/channels/${channel}/publish/`;
  const publish = async (typed: string) => {
    const body = { payload: parseObject(typed), ...(room !== undefined && { room }) };
    const { id } = await send<RoomMessage>({ method: 'POST', path, body });
    notify(`Message ${id} published.`);
  };
  return (
    <Card title="Publish" id="publish">
      <DraftForm
        start={{ payload: '{ "text": "hello" }' }}
        verb="Publish"
        sends={{ method: 'POST', path }}
        onSend={({ payload }) => publish(payload)}
      >
        {({ text }) => <AreaField label="Payload (JSON)" rows={3} isCode {...text('payload')} />}
      </DraftForm>
    </Card>
  );
}
