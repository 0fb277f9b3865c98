import { apnsToken } from '../push.ts';
import { idOf, of, type Step, type Turn, text } from './step.ts';

/** Channels and their messages. */
export const channels: readonly Step[] = [
  {
    call: 'POST {i}/channels/',
    body: (turn) => ({ name: turn.names.channel, ...text(turn), custom_publish: true }),
  },
  {
    call: 'PUT {i}/channels/{channel}/',
    body: (turn) => ({ ...text(turn), custom_publish: true }),
  },
  { call: 'PATCH {i}/channels/{channel}/', body: text },
  {
    call: 'POST {i}/channels/{channel}/publish/',
    body: (turn) => ({ payload: text(turn) }),
    keep: idOf('message'),
  },
  { call: 'GET {i}/channels/{channel}/poll/?last_id=0' },
  { call: 'GET {i}/channels/{channel}/stream/?last_id=0' },
];

const gcm = (turn: Turn) => ({ content: { environment: 'development', data: { of: of(turn) } } });
const serverKey = (turn: Turn) => of(turn).replaceAll(/[ ,]+/g, '-');
const apns = (turn: Turn) => ({
  content: { environment: 'development', aps: { alert: of(turn) } },
});

/** Devices and their messages. */
export const push: readonly Step[] = [
  {
    call: 'PUT {i}/push_notifications/gcm/config/',
    isOfTenant: true,
    body: (turn) => ({ development_api_key: serverKey(turn) }),
  },
  {
    call: 'PATCH {i}/push_notifications/gcm/config/',
    isOfTenant: true,
    body: (turn) => ({ production_api_key: serverKey(turn) }),
  },
  {
    call: 'PUT {i}/push_notifications/apns/config/',
    isOfTenant: true,
    body: () => apnsToken('development'),
  },
  {
    call: 'PATCH {i}/push_notifications/apns/config/',
    isOfTenant: true,
    body: ({ tenant: n }) => ({ development_bundle_identifier: `com.example.shop${n}` }),
  },
  {
    call: 'POST {i}/push_notifications/apns/config/remove_certificate/',
    isOfTenant: true,
    body: () => ({ production_certificate: true }),
  },
  ...(['gcm', 'apns'] as const).flatMap((service): readonly Step[] => {
    const list = `{i}/push_notifications/${service}`;
    const name = service === 'gcm' ? 'device' : 'token';
    const message = service === 'gcm' ? gcm : apns;
    return [
      {
        call: `POST ${list}/devices/`,
        body: (turn) => ({ registration_id: turn.names[name], label: of(turn), user: turn.at + 1 }),
      },
      { call: `PUT ${list}/devices/{${name}}/`, body: (turn) => ({ label: of(turn) }) },
      { call: `PATCH ${list}/devices/{${name}}/`, body: (turn) => ({ metadata: text(turn) }) },
      { call: `POST ${list}/devices/{${name}}/send_message/`, body: message },
      {
        call: `POST ${list}/messages/`,
        body: (turn) => ({
          content: { ...message(turn).content, registration_ids: [turn.names[name]] },
        }),
      },
    ];
  }),
];
