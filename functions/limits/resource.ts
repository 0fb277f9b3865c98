import {
  type Context,
  computed,
  endpointRoute,
  type Family,
  type Fields,
  instanceOf,
  type LoadedOf,
  type Route,
  recordAt,
} from '../../shared/core/family.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import { scheduleLimit } from '../../shared/schedules/schedule-record.ts';
import { instanceLimits } from '../../shared/scripts/slots.ts';
import { classNumbersEntity } from '../../shared/table/entities/instances.ts';
import { scheduleIdsEntity, triggerIdsEntity } from '../../shared/table/entities/scripts.ts';
import { triggerLimit } from '../../shared/triggers/remove-trigger.ts';
import { readUsedBytes } from '../../shared/usage/quotas.ts';
import { maxTriggerRunsPerMinute } from '../../shared/values/bounds.ts';
import { grants } from './grants.ts';

const loads = {
  classNumbers: recordAt(classNumbersEntity, ['instanceName']),
  schedules: recordAt(scheduleIdsEntity, ['instance']),
  triggers: recordAt(triggerIdsEntity, ['instance']),
};
type Loaded = LoadedOf<typeof loads>;

/** A limit; null: there is none. `used` is null where it is not counted. */
type Limit = {
  readonly limit: number | null;
  readonly used: number | null;
};

const limit: Field = computed('nested object', {
  children: {
    limit: computed('integer', { nullable: true }),
    used: computed('integer', { nullable: true }),
  },
});

const fields = {
  classes: limit,
  object_bytes: limit,
  file_bytes: limit,
  trace_bytes: limit,
  schedules: limit,
  triggers: limit,
  trigger_runs_per_minute: limit,
  concurrent_runs: limit,
  requests_per_second: limit,
} satisfies Fields;

/** Returns the limits of the request's instance, with what it has used. */
async function readLimits(context: Context<Loaded>): Promise<Record<keyof typeof fields, Limit>> {
  const { platform } = context;
  const { settings, changes } = platform;
  const services = { ...platform, settled: changes.settled };
  const used = await readUsedBytes(services, instanceOf(context));
  const { classNumbers, schedules, triggers } = context.loaded;
  return {
    classes: {
      limit: settings.maxClasses,
      used: Object.keys(classNumbers?.data.numbers ?? {}).length,
    },
    object_bytes: { limit: settings.maxObjectBytes ?? null, used: used.objects },
    file_bytes: { limit: settings.maxFileBytes ?? null, used: used.files },
    trace_bytes: { limit: settings.maxTraceBytes ?? null, used: used.traces },
    schedules: { limit: scheduleLimit.max, used: schedules?.data.ids.length ?? 0 },
    triggers: { limit: triggerLimit.max, used: triggers?.data.ids.length ?? 0 },
    trigger_runs_per_minute: limitWithoutUse(maxTriggerRunsPerMinute),
    concurrent_runs: limitWithoutUse(instanceLimits.running),
    requests_per_second: limitWithoutUse(settings.instanceRate),
  };
}

function limitWithoutUse(max: number | undefined): Limit {
  return { limit: max ?? null, used: null };
}

const route: Route = endpointRoute({
  name: 'Limits',
  noun: 'limits',
  operationNames: { GET: { id: 'getLimits', summary: 'Get the limits of an instance' } },
  description: 'Limits of the instance, and what it has used of them.',
  path: '/instances/{instance}/limits/',
  v1Path: null,
  access: { owner: 'G', full: 'G', write: 'G', read: 'G' },
  loads,
  response: { fields },
  operations: {
    GET: {
      right: 'G',
      run: async (context) => ({ status: 200, body: await readLimits(context) }),
    },
  },
});

/** The limits of an instance (docs/reference/limits.md#limits-of-an-instance). */
export const limits: Family = {
  name: 'limits',
  grants,
  places: { '/instances/{instance}/limits/': '/i/{instance}/usage' },
  routes: [route],
};
