import type { Environment } from '../../shared/platforms/aws/environment.ts';
import type { RunRequest } from '../../shared/ports/run-request.ts';
import type { ScriptRun } from '../../shared/ports/script-runner.ts';
import type { ScriptData } from '../../shared/table/records/scripts.ts';

/** The environment of a deployed function. */
export const awsEnvironment: Environment = {
  table: 'T',
  secret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:S',
  files: { bucket: 'B', address: 'https://files.example.com' },
  push: { prefix: 'groundwork_prod', key: 'K' },
  apiUrl: 'https://api.example.com',
  scripts: { prefix: 'groundwork-prod', role: 'R' },
  logLevel: 'error',
  requestLog: 'on',
  logGroups: [],
  metrics: { namespace: 'Groundwork/prod', family: 'objects', isByFamily: false },
  settings: {
    registration: 'closed',
    maxInstances: 1,
    maxClasses: 1,
    location: 'eu1',
    passwordCost: 5,
  },
  publicSettings: [],
  pollSlots: 10,
  scriptMegabytes: 1024,
  waitingRuns: 16,
  keepsRuns: false,
  proxySecret: undefined,
  mailFrom: 'no-reply@example.com',
  social: {},
  runtimeApi: undefined,
};

/** A stored script. */
export const storedScript: ScriptData = {
  id: 12,
  runtime_name: 'nodejs_v6',
  label: '',
  description: '',
  config: {},
  created_at: '',
  updated_at: '',
  version: 1,
};

/** A run of a script in its function. */
export const scriptRun: ScriptRun = {
  instance: 1,
  script: 2,
  owner: 3,
  version: 1,
  runtime: 'node',
  source: async () => '',
  args: {},
  config: {},
  meta: {},
  timeoutMs: 1000,
  waitMs: 1000,
  isAwaited: true,
};

/** A run that takes longer than a request may wait for it in its own process. */
export const startedRun: RunRequest = {
  instance: 1,
  kind: 'endpoint',
  parent: 2,
  trace: 3,
  instanceName: 'blog',
  owner: 3,
  script: {
    id: 2,
    runtime_name: 'nodejs_v6',
    label: '',
    description: '',
    config: { timeout: 60 },
    created_at: '',
    updated_at: '',
    version: 1,
  },
  config: {},
  args: {},
  meta: {},
  depth: 1,
  isAwaited: true,
};
