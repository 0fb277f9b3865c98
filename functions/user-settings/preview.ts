import {
  allRights,
  type Context,
  computed,
  defineFields,
  endpointRoute,
  type LoadedOf,
  notFound,
  recordAt,
  text,
  validInput,
} from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import { post } from '../../shared/core/resource/endpoint.ts';
import { choiceField } from '../../shared/core/resource/field.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { userLetters } from '../../shared/table/records/user-accounts.ts';
import { appName, previewVariables, renderLetter } from '../../shared/users/mail/render-letter.ts';
import { mailTextLimits, readMailTexts } from '../../shared/users/settings/mail-texts.ts';
import { detailError, invalid } from '../../shared/values/errors/errors.ts';

const previewLoads = { living: recordAt(instanceEntity, ['instance']) };
type PreviewContext = Context<LoadedOf<typeof previewLoads>>;

const previewFields = defineFields({
  letter: choiceField(userLetters, 'register', { required: true }),
  subject: text(mailTextLimits.subject, { writeOnly: true, blank: true }),
  text: text(mailTextLimits.text, { writeOnly: true, blank: true, trim: false }),
});

/** Renders a letter with sample values; without subject and text, the default one. */
async function preview(context: PreviewContext, body: Body): Promise<Response> {
  const { living } = context.loaded;
  if (living === undefined) throw notFound();
  const { letter, ...sent } = validInput(previewFields, body, 'create');
  const variables = previewVariables(letter, appName(living.data), context.platform.apiUrl());
  const texts = sent.subject === '' && sent.text === '' ? {} : { [letter]: sent };
  const reading = readMailTexts(texts);
  if (!reading.ok) throw invalid({ text: [...reading.messages] });
  const own = reading.value[letter];
  const to = 'reader@example.com';
  const rendered = await renderLetter(
    context.platform,
    { letter, own, variables, to },
    await tenantOf(context),
  );
  if (!rendered.ok) throw detailError(400, rendered.problem, 'template_failed');
  const { mail } = rendered;
  return { status: 200, body: { subject: mail.subject, text: mail.text, html: mail.html } };
}

/** Route that shows what a letter will look like (docs/reference/user-accounts.md#texts-of-mails). */
export const previewRoute = endpointRoute({
  name: 'User Mail Preview',
  operationNames: {
    POST: { id: 'previewUserMail', summary: 'Preview a mail to users' },
  },
  path: '/instances/{instance}/user_settings/preview/',
  v1Path: null,
  access: { owner: allRights, full: allRights },
  loads: previewLoads,
  isUntemplated: true,
  response: {
    name: 'User Mail Preview',
    fields: { subject: computed('string'), text: computed('string'), html: computed('string') },
  },
  ...post(previewFields, preview),
});
