import type { Api } from '../api.ts';
import { plantDeadLetter } from '../dead-letters.ts';
import { queries } from './classes.ts';
import { idOf, type Step, type Turn, text } from './step.ts';

const plant = (api: Api, { names }: Turn) => plantDeadLetter(api, names.instance ?? '');

/** Backups, dead letters, and what all callers share. */
export const operations: readonly Step[] = [
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: true, keep: idOf('spare') },
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: true, keep: idOf('saved') },
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: true, keep: idOf('backup') },
  { call: 'GET /v1.1/backups/full/', isOfTenant: true },
  { call: 'GET /v1.1/backups/', isOfTenant: true },
  { call: 'GET /v1.1/backups/full/{saved}/', isOfTenant: true },
  { call: 'DELETE /v1.1/backups/full/{saved}/', isOfTenant: true },
  { call: 'DELETE {i}/backups/full/{spare}/', isOfTenant: true },
  ...[
    'GET {i}/dead_letters/{letter}/',
    'POST {i}/dead_letters/{letter}/replay/',
    'DELETE {i}/dead_letters/{letter}/',
  ].flatMap((call): readonly Step[] => [
    {
      call: 'GET {i}/dead_letters/',
      isOfTenant: true,
      before: plant,
      keep: ({ objects }) => ({ letter: objects[0]?.id }),
    },
    { call, isOfTenant: true },
  ]),
  { call: 'GET /v1.1/schema/', isOfTenant: true },
  { call: 'GET /v1.1/usage/', isOfTenant: true },
  { call: 'GET /v1.1/usage/hourly/', isOfTenant: true },
  { call: 'GET /v1.1/usage/daily/', isOfTenant: true },
];

/** Reads of everything that there is. */
export const reads: readonly Step[] = [
  ...[
    '',
    'snippets/',
    'endpoints/',
    'push_notifications/',
    'push_notifications/gcm/',
    'push_notifications/apns/',
    'limits/',
    'request_log/?page_size=0',
    'backups/',
    'backups/full/',
    'backups/full/{backup}/',
    'restores/',
    'snippets/config/',
    'user_settings/',
    'push_notifications/gcm/config/',
    'push_notifications/apns/config/',
    'admins/',
    'admins/{admin}/',
  ].map((path) => ({ call: `GET {i}/${path}`, isOfTenant: true })),
  { call: 'GET /v1.1/instances/', isOfTenant: true },
  ...[
    'invitations/',
    'invitations/{invitation}/',
    'invitations/{invitation}/mail/',
    'api_keys/',
    'api_keys/{n}/',
    'api_keys/{n}/aliases/',
    'classes/',
    'classes/{class}/',
    'classes/{class}/objects/{object}/',
    ...queries.map((query) => `classes/{class}/objects/${query}`),
    'users/',
    'users/{n}/',
    'users/{memberId}/',
    'users/{memberId}/sessions/',
    'groups/',
    'groups/{n}/',
    'users/{n}/groups/',
    'users/{n}/groups/{n}/',
    'groups/{n}/users/',
    'groups/{n}/users/{other}/',
    'endpoints/data/',
    'endpoints/data/{endpoint}/',
    'endpoints/data/{endpoint}/get/',
    'snippets/templates/',
    'snippets/templates/{template}/',
    'channels/',
    'channels/{channel}/',
    'channels/{channel}/history/',
    'channels/{channel}/history/{message}/',
    'push_notifications/gcm/devices/',
    'push_notifications/gcm/devices/{device}/',
    'push_notifications/gcm/messages/',
    'push_notifications/gcm/messages/1/',
    'push_notifications/apns/devices/',
    'push_notifications/apns/devices/{token}/',
    'push_notifications/apns/messages/',
    'push_notifications/apns/messages/1/',
    'snippets/scripts/',
    'snippets/scripts/{n}/',
    'snippets/scripts/{n}/traces/',
    'snippets/scripts/{n}/traces/{trace}/',
    'endpoints/scripts/',
    'endpoints/scripts/{script}/',
    'endpoints/scripts/{script}/traces/',
    'endpoints/scripts/{script}/traces/{hookTrace}/',
    'schedules/',
    'schedules/{n}/',
    'triggers/',
    'triggers/{n}/',
  ].map((path) => ({ call: `GET {i}/${path}` })),
];

/** Restores of the backups. */
export const restored: readonly Step[] = [
  {
    call: 'POST {i}/restores/',
    isOfTenant: true,
    body: ({ names }) => ({ backup: Number(names.backup) }),
    keep: idOf('restore'),
  },
  { call: 'GET {i}/restores/{restore}/', isOfTenant: true },
];

/** New names, and deletions. */
export const ends: readonly Step[] = [
  ...['data', 'scripts'].map(
    (kind): Step => ({
      call: `POST {i}/endpoints/${kind}/{${kind === 'data' ? 'endpoint' : 'script'}}/rename/`,
      body: ({ names }) => ({ new_name: `${names.class}-2` }),
      keep: ({ name }) => ({ [kind === 'data' ? 'endpoint' : 'script']: name }),
    }),
  ),
  {
    call: 'POST {i}/snippets/templates/{template}/rename/',
    body: ({ names }) => ({ new_name: `${names.class}-2` }),
    keep: ({ name }) => ({ template: name }),
  },
  ...[
    'push_notifications/gcm/devices/{device}/',
    'push_notifications/apns/devices/{token}/',
    'triggers/{n}/',
    'schedules/{n}/',
    'endpoints/scripts/{script}/',
    'snippets/scripts/{n}/',
    'endpoints/data/{endpoint}/',
    'snippets/templates/{template}/',
    'channels/{channel}/',
    'users/{n}/groups/{n}/',
    'groups/{n}/users/{other}/',
    'groups/{n}/',
    'users/{n}/',
    'classes/{class}/objects/{object}/',
    'classes/{class}/',
    'api_keys/{n}/aliases/',
    'invitations/{invitation}/',
  ].map((path) => ({ call: `DELETE {i}/${path}` })),
  { call: 'POST {i}/api_keys/{n}/reset_key/', body: () => undefined },
  { call: 'DELETE {i}/api_keys/{n}/' },
  { call: 'DELETE {i}/admins/{admin}/', isOfTenant: true },
  {
    call: 'POST {i}/rename/',
    isOfTenant: true,
    body: ({ names }) => ({ new_name: `${names.instance}-2` }),
    keep: ({ name }) => ({ i: `/v1.1/instances/${name}` }),
  },
  { call: 'DELETE {i}/', isOfTenant: true },
  { call: 'POST /v1.1/account/reset_key/', isOfTenant: true, body: () => undefined },
];
