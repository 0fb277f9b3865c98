import { newJob } from '../../../shared/jobs/jobs.ts';
import { maintain } from '../../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../../shared/schedules/schedule-record.ts';
import type { Api } from '../api.ts';
import { instanceId } from '../stored-records.ts';
import { queries, values } from './classes.ts';
import { idOf, of, type Step, type Turn, text } from './step.ts';

const script = (turn: Turn) => ({
  runtime_name: 'nodejs_v8',
  source: `console.log(${JSON.stringify(of(turn))});`,
  label: of(turn),
});
const schedule = (turn: Turn, word: string) => ({
  label: of(turn),
  interval_sec: 86_400,
  [word]: turn.at + 1,
});
const trigger = (turn: Turn, word: string) => ({
  label: of(turn),
  signal: 'post_update',
  class: turn.names.class,
  [word]: turn.at + 1,
});

const linked = [
  'endpoints/scripts/p/{link}/',
  'endpoints/scripts/p/{link}/{script}/',
  'sockets/endpoints/scripts/p/{link}/',
  'sockets/endpoints/scripts/p/{link}/{script}/',
];

/** Scripts, and what runs them. */
export const scripts: readonly Step[] = [
  { call: 'POST {i}/snippets/scripts/', body: script },
  { call: 'PUT {i}/snippets/scripts/{n}/', body: script },
  { call: 'PATCH {i}/snippets/scripts/{n}/', body: text },
  { call: 'GET {i}/snippets/scripts/runtimes/' },
  { call: 'POST {i}/snippets/scripts/{n}/run/', body: () => ({}) },
  {
    call: 'GET {i}/snippets/scripts/{n}/traces/',
    keep: ({ objects }) => ({ trace: objects[0]?.id }),
  },
  { call: 'POST {i}/snippets/scripts/{n}/traces/{trace}/retry/', body: () => ({}) },
  {
    call: 'POST {i}/endpoints/scripts/',
    body: (turn) => ({ name: turn.names.script, script: turn.at + 1, public: true }),
    keep: ({ public_link }) => ({ link: public_link }),
  },
  {
    call: 'PUT {i}/endpoints/scripts/{script}/',
    body: ({ at }) => ({ script: at + 1, public: true }),
  },
  { call: 'PATCH {i}/endpoints/scripts/{script}/', body: text },
  {
    call: 'POST {i}/endpoints/scripts/{script}/reset_link/',
    body: () => undefined,
    keep: ({ public_link }) => ({ link: public_link }),
  },
  ...['GET', 'POST'].flatMap((method) => [
    ...linked.map((path) => ({ call: `${method} {i}/${path}`, as: 'nobody' as const })),
    { call: `${method} {i}/endpoints/scripts/{script}/run/` },
  ]),
  {
    call: 'GET {i}/endpoints/scripts/{script}/traces/',
    keep: ({ objects }) => ({ hookTrace: objects[0]?.id }),
  },
  { call: 'POST {i}/endpoints/scripts/{script}/traces/{hookTrace}/retry/', body: () => ({}) },
  {
    call: 'POST {old}/webhooks/',
    body: (turn) => ({ name: turn.names.hook, codebox: turn.at + 1, public: true }),
  },
  { call: 'GET {old}/webhooks/' },
  { call: 'GET {old}/webhooks/{hook}/' },
  { call: 'PUT {old}/webhooks/{hook}/', body: ({ at }) => ({ codebox: at + 1, public: true }) },
  { call: 'PATCH {old}/webhooks/{hook}/', body: text },
  { call: 'POST {old}/webhooks/{hook}/reset_link/', body: () => undefined },
  {
    call: 'POST {old}/webhooks/{hook}/rename/',
    body: ({ names }) => ({ new_name: `${names.hook}-2` }),
    keep: ({ name }) => ({ hook: name }),
  },
  { call: 'DELETE {old}/webhooks/{hook}/' },
  ...(['schedules', 'triggers'] as const).flatMap((list): readonly Step[] => {
    const make = list === 'schedules' ? schedule : trigger;
    return [
      { call: `POST {i}/${list}/`, body: (turn) => make(turn, 'script'), keep: idOf('own') },
      { call: `PUT {i}/${list}/{own}/`, body: (turn) => make(turn, 'script') },
      { call: `PATCH {i}/${list}/{own}/`, body: (turn) => ({ label: `${of(turn)} again` }) },
      { call: `POST {old}/${list}/`, body: (turn) => make(turn, 'codebox'), keep: idOf('own') },
      { call: `GET {old}/${list}/` },
      { call: `GET {old}/${list}/{own}/` },
      { call: `PUT {old}/${list}/{own}/`, body: (turn) => make(turn, 'codebox') },
      { call: `PATCH {old}/${list}/{own}/`, body: (turn) => ({ label: `${of(turn)} again` }) },
      { call: `DELETE {old}/${list}/{own}/` },
    ];
  }),
  {
    call: 'GET {i}/schedules/{n}/traces/',
    before: runSchedule,
    keep: ({ objects }) => ({ scheduleTrace: objects[0]?.id }),
  },
  { call: 'GET {i}/schedules/{n}/traces/{scheduleTrace}/' },
  { call: 'POST {i}/schedules/{n}/traces/{scheduleTrace}/retry/', body: () => ({}) },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: values },
  { call: 'PATCH {i}/triggers/1/', isOfTenant: true, body: () => ({ class: 'paper' }) },
  ...queries.map((query) => ({ call: `GET {i}/classes/{class}/objects/${query}` })),
  {
    call: 'PATCH {i}/classes/{class}/objects/{object}/',
    body: (turn) => ({ ...values(turn), owner_permissions: 'full', g: null }),
  },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: values },
  {
    call: 'GET {i}/triggers/2/traces/',
    isOfTenant: true,
    keep: ({ objects }) => ({ triggerTrace: objects[0]?.id }),
  },
  { call: 'GET {i}/triggers/2/traces/{triggerTrace}/', isOfTenant: true },
  {
    call: 'POST {i}/triggers/2/traces/{triggerTrace}/retry/',
    isOfTenant: true,
    body: () => ({}),
  },
];

/** Runs a schedule before its time. */
async function runSchedule(api: Api, { names, at }: Turn): Promise<void> {
  const path = `${names.i}/schedules/${at + 1}/`;
  const { scheduled_next: time } = (await api.send({ as: names.key, path })).body;
  const instance = await instanceId(api.platform.store, names.instance ?? '');
  const task = { instance, schedule: at + 1, time };
  await maintain(api.platform, [newJob(api.platform, scheduleJob, task)]);
  await api.platform.idle();
}
