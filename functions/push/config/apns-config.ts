import {
  type Context,
  computed,
  defineFields,
  endpointRoute,
  type Route,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import { tenantOf } from '../../../shared/core/resource/context-values.ts';
import { flagField } from '../../../shared/core/resource/field.ts';
import type { Values } from '../../../shared/core/resource/input.ts';
import { type PushCertificate, readCertificate } from '../../../shared/push/rules/certificate.ts';
import { type PushEnvironment, pushEnvironments } from '../../../shared/push/rules/provider.ts';
import type { PushConfigData, PushSideData } from '../../../shared/table/records/push.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { type SentToken, tokenOf } from './apns-token.ts';
import { configAccess, configPath, pushConfigRoute, showConfig } from './config-route.ts';
import { configOf, type SideChange, saveConfig } from './config-save.ts';
import { type ConfigContext, configLoads } from './loads.ts';

const name = text(200, { nullable: true });
// a file, which a JSON body cannot hold: its value there is ignored
const certificate = computed('file upload', { shows: 'boolean' });
const expirationDate = computed('string', { nullable: true }); // a day: the Python library reads no time there
const tokenKey = text(16_384, { nullable: true });
const id = text(10, { nullable: true });

const fields = defineFields({
  production_certificate_name: name,
  production_certificate: certificate,
  production_bundle_identifier: name,
  production_expiration_date: expirationDate,
  production_token_key: tokenKey,
  production_key_id: id,
  production_team_id: id,
  development_certificate_name: name,
  development_certificate: certificate,
  development_bundle_identifier: name,
  development_expiration_date: expirationDate,
  development_token_key: tokenKey,
  development_key_id: id,
  development_team_id: id,
});

function showSide(environment: PushEnvironment, side: PushSideData) {
  const token = side.credential?.kind === 'token' ? side.credential : undefined;
  return {
    [`${environment}_certificate_name`]: side.certificate_name,
    [`${environment}_certificate`]: side.credential?.kind === 'certificate',
    [`${environment}_bundle_identifier`]: side.bundle_identifier,
    [`${environment}_expiration_date`]: side.expiration_date?.slice(0, 10) ?? null,
    [`${environment}_token_key`]: token?.shown ?? null,
    [`${environment}_key_id`]: token?.keyId ?? null,
    [`${environment}_team_id`]: token?.teamId ?? null,
  };
}

const form = {
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'remove_certificate', type: 'remove_certificate', to: 'remove_certificate/' },
  ],
  show: ({ production, development }: PushConfigData) => ({
    ...showSide('production', production),
    ...showSide('development', development),
  }),
} as const;

/** Values of a body for one environment. */
interface Sent extends SentToken {
  readonly certificate_name: string | null | undefined;
  readonly bundle_identifier: string | null | undefined;
  readonly certificate: PushCertificate | undefined;
}

async function change(context: ConfigContext, mode: 'replace' | 'patch'): Promise<PushConfigData> {
  const body = await context.body();
  const input = validInput(fields, body, mode);
  const sent = new Map<PushEnvironment, Sent>();
  for (const environment of pushEnvironments) {
    sent.set(environment, {
      certificate_name: input[`${environment}_certificate_name`],
      bundle_identifier: input[`${environment}_bundle_identifier`],
      token_key: input[`${environment}_token_key`],
      key_id: input[`${environment}_key_id`],
      team_id: input[`${environment}_team_id`],
      certificate: await readUpload(context, body, environment),
    });
  }
  return saveConfig(context, 'apns', async (current) => {
    const changes: Partial<Record<PushEnvironment, SideChange>> = {};
    for (const [environment, values] of sent) {
      changes[environment] = await sideChange(context, environment, values, current[environment]);
    }
    return changes;
  });
}

async function readUpload(
  context: Context,
  { files = [] }: Body,
  environment: PushEnvironment,
): Promise<PushCertificate | undefined> {
  const field = `${environment}_certificate`;
  const file = files.findLast((each) => each.field === field);
  if (file === undefined) return undefined;
  const { platform } = context;
  const tenant = await tenantOf(context);
  const reading = await readCertificate(file, {
    environment,
    nowMs: platform.clock.micros() / 1000,
    open: (bytes) => platform.certificates(bytes, tenant),
  });
  if (!reading.ok) throw invalid({ [field]: reading.messages });
  return reading.value;
}

async function sideChange(
  context: Context,
  environment: PushEnvironment,
  sent: Sent,
  side: PushSideData,
): Promise<SideChange> {
  const { certificate_name, bundle_identifier, certificate } = sent;
  const texts = {
    ...(certificate_name !== undefined && { certificate_name }),
    ...(bundle_identifier !== undefined && { bundle_identifier }),
  };
  if (certificate !== undefined) {
    const { expires: expiration_date, bundle, certificate: pem, key } = certificate;
    const secret = { kind: 'certificate', certificate: pem, key } as const;
    return {
      texts: {
        ...texts,
        expiration_date,
        bundle_identifier: (bundle_identifier ?? side.bundle_identifier) || bundle,
      },
      credential: { secret, shown: '', field: `${environment}_certificate` },
    };
  }
  const bundle = bundle_identifier === undefined ? side.bundle_identifier : bundle_identifier;
  const credential = await tokenOf(context, environment, { sent, side, bundle });
  const isToken = credential !== undefined && credential !== null;
  return {
    texts: { ...texts, ...(isToken && { expiration_date: null }) },
    ...(credential !== undefined && { credential }),
  };
}

const removeFields = defineFields({
  production_certificate: flagField(),
  development_certificate: flagField(),
});

const removeRoute: Route = {
  ...endpointRoute({
    name: 'APNS Config Remove Certificate',
    operationNames: {
      POST: { id: 'removeApnsCertificates', summary: 'Remove APNS certificates' },
    },
    path: `${configPath('apns')}remove_certificate/`,
    access: configAccess,
    loads: configLoads('apns'),
    response: { fields, links: form.links, name: 'APNS Config' },
    operations: {
      POST: {
        right: 'A',
        run: async (context) => {
          const input = validInput(removeFields, await context.body(), 'patch');
          const isAny = Object.values(input).includes(true);
          const config = isAny ? await removeCertificates(context, input) : configOf(context);
          return { status: 200, body: await showConfig(context, 'apns', { form, config }) };
        },
      },
    },
    forms: { POST: removeFields },
  }),
  kind: 'action',
};

function removeCertificates(context: ConfigContext, input: Values<typeof removeFields, 'patch'>) {
  return saveConfig(context, 'apns', async (current) => {
    const gone = pushEnvironments.filter(
      (environment) =>
        input[`${environment}_certificate`] === true &&
        current[environment].credential?.kind === 'certificate',
    );
    const removed: SideChange = { credential: null, texts: { expiration_date: null } };
    return Object.fromEntries(gone.map((environment) => [environment, removed]));
  });
}

/** Routes of Apple's certificates and token keys; responses show whether they exist (docs/reference/push.md#config). */
export const apnsConfigRoutes: readonly Route[] = [
  pushConfigRoute('apns', { ...form, fields, change }),
  removeRoute,
];
