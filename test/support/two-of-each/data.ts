import { classOf, profile, queries, values } from './classes.ts';
import { idOf, of, password, person, type Step, type Turn, text } from './step.ts';

const endpointOf = (turn: Turn) => ({
  ...text(turn),
  class: turn.names.class,
  query: { f: { _exists: true } },
});
const template = (turn: Turn) => ({
  content: `${of(turn)}: {{ word }} {% if response is defined %}{{ response }}{% endif %}`,
  content_type: 'text/plain',
});

/** Classes, objects, data endpoints and templates. */
export const data: readonly Step[] = [
  {
    call: 'PATCH {i}/classes/user_profile/',
    isOfTenant: true,
    body: (turn) => ({ schema: profile(turn).schema }),
  },
  {
    call: 'POST {i}/classes/',
    body: (turn) => ({ name: turn.names.class, ...text(turn), schema: classOf(turn).schema }),
  },
  { call: 'GET {i}/classes/{class}/' },
  { call: 'POST {i}/classes/{class}/objects/', body: values, keep: idOf('object') },
  { call: 'POST {i}/classes/{class}/objects/', body: values, keep: idOf('second') },
  ...queries.map((query) => ({ call: `GET {i}/classes/{class}/objects/${query}` })),
  { call: 'POST {i}/classes/{class}/objects/{object}/', body: (turn) => ({ h: values(turn).h }) },
  { call: 'PUT {i}/classes/{class}/objects/{object}/', body: values },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: (turn) => ({ g: values(turn).g }) },
  { call: 'PATCH {i}/classes/{class}/objects/{second}/', body: () => ({ f: 'not for all' }) },
  { call: 'POST {i}/classes/{class}/uploads/', body: () => ({ filename: 'film.mp4' }) },
  {
    call: 'PUT {i}/classes/{class}/',
    body: (turn) => ({ ...text(turn), schema: classOf(turn).schema }),
  },
  { call: 'PATCH {i}/classes/{class}/', body: text },
  { call: 'GET {i}/classes/{class}/migration/' },
  {
    call: 'POST {i}/endpoints/data/',
    body: (turn) => ({ name: turn.names.endpoint, ...endpointOf(turn) }),
  },
  { call: 'PUT {i}/endpoints/data/{endpoint}/', body: endpointOf },
  { call: 'PATCH {i}/endpoints/data/{endpoint}/', body: () => ({ order_by: '-f' }) },
  { call: 'POST {i}/endpoints/data/{endpoint}/post/', body: values },
  { call: 'POST {i}/endpoints/data/{endpoint}/clear_cache/', body: () => ({}) },
  { call: 'GET {i}/endpoints/data/{endpoint}/get/' },
  {
    call: 'POST {i}/snippets/templates/',
    body: (turn) => ({ name: turn.names.template, ...template(turn) }),
  },
  {
    call: 'PUT {i}/snippets/templates/{template}/',
    body: (turn) => ({ name: turn.names.template, ...template(turn) }),
  },
  {
    call: 'PATCH {i}/snippets/templates/{template}/',
    body: (turn) => ({ context: { word: of(turn) } }),
  },
  {
    call: 'POST {i}/snippets/templates/{template}/render/',
    body: (turn) => ({ context: { word: of(turn) } }),
  },
  { call: 'GET {i}/endpoints/data/{endpoint}/get/?template_response={template}' },
  { call: 'GET {i}/classes/{class}/objects/?template_response={template}' },
  {
    call: 'POST {i}/batch/',
    body: (turn) => ({
      requests: [
        {
          method: 'POST',
          path: `${turn.names.i}/classes/${turn.names.class}/objects/`,
          body: values(turn),
        },
        {
          method: 'PATCH',
          path: `${turn.names.i}/classes/${turn.names.class}/objects/${turn.names.object}/`,
          body: values(turn),
        },
        { method: 'GET', path: `${turn.names.i}/classes/book/objects/` },
        { method: 'GET', path: `${turn.names.i}/classes/paper/objects/` },
      ],
    }),
  },
];

/** Users and groups. */
export const people: readonly Step[] = [
  {
    call: 'POST {i}/users/',
    as: 'app',
    body: (turn) => ({ username: `u${turn.at}`, password, profile: profile(turn).values }),
    keep: ({ user_key }) => ({ user: user_key }),
  },
  { call: 'PUT {i}/users/{n}/', body: ({ at }) => ({ username: `u${at}`, password }) },
  { call: 'PATCH {i}/users/{n}/', body: (turn) => ({ profile: profile(turn).values }) },
  { call: 'PATCH {i}/users/{n}/', body: () => ({ profile: { f: 'not for all' } }) },
  { call: 'GET {i}/user/', as: 'user' },
  { call: 'PUT {i}/user/', as: 'user', body: ({ at }) => ({ username: `u${at}`, password }) },
  { call: 'PATCH {i}/user/', as: 'user', body: (turn) => ({ profile: profile(turn).values }) },
  { call: 'POST {i}/user/auth/', as: 'app', body: ({ at }) => ({ username: `u${at}`, password }) },
  {
    call: 'POST {i}/user/auth/facebook/',
    as: 'app',
    body: (turn) => ({ access_token: person(turn) }),
  },
  { call: 'POST {i}/groups/', body: (turn) => ({ label: of(turn) }) },
  { call: 'PUT {i}/groups/{n}/', body: (turn) => ({ label: of(turn), ...text(turn) }) },
  { call: 'PATCH {i}/groups/{n}/', body: text },
  { call: 'POST {i}/users/{n}/groups/', body: ({ at }) => ({ group: at + 1 }) },
  { call: 'POST {i}/groups/{n}/users/', body: ({ at }) => ({ user: 2 - at }) },
  {
    call: 'POST {i}/import/',
    body: (turn) => ({
      kind: 'groups',
      records: [{ id: 7 + turn.at, name: null, label: of(turn), description: '' }],
    }),
  },
  ...['users', 'groups', 'objects&class={class}'].map((kind) => ({
    call: `GET {i}/export/?kind=${kind}`,
  })),
  {
    call: 'POST {i}/users/{n}/reset_key/',
    body: () => undefined,
    keep: ({ user_key }) => ({ user: user_key }),
  },
];
