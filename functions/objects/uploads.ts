import { type ClassContext, inClass } from '../../shared/classes/class-record.ts';
import { checkClassRights } from '../../shared/classes/rules/permissions.ts';
import {
  computed,
  defineFields,
  endpointRoute,
  type Fields,
  type Route,
  text,
  validInput,
} from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { uploadKey } from '../../shared/objects/files/object-files.ts';
import { saveCall } from '../../shared/objects/save-call.ts';
import { withRoom } from '../../shared/usage/quotas.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { dataOwner } from '../../shared/values/file-keys.ts';
import { downloadNameOf } from '../../shared/values/text/file-name.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import {
  contentTypeOf,
  filenameErrors,
  isContentType,
  maxUploadBytes,
} from '../../shared/values/uploads.ts';

const fields = defineFields({
  filename: text(255),
  content_type: text(255),
});

const responseFields: Fields = {
  url: computed('string'),
  fields: computed('field', { shows: 'object' }),
  file: computed('string'),
  max_size: computed('integer'),
  expires_at: computed('string'),
};

const seconds = 900; // a form is filled at once; only the upload takes long

/**
 * Returns a presigned form for uploading a file that is too large for a request. Callers who may change objects of the
 * class may upload one. Callers who may create objects can as well, because creating requires more.
 */
export const uploadRoute: Route = endpointRoute({
  name: 'File Upload',
  operationNames: {
    POST: {
      id: 'createUploadForm',
      summary: 'Create an upload form for a large file',
      description: 'Returns a presigned form for uploading a large file.',
    },
  },
  description: 'Returns a presigned form for uploading a large file.',
  path: '/instances/{instance}/classes/{class}/uploads/',
  v1Path: null,
  access: { owner: 'A', full: 'A', write: 'A', apiKey: 'A' },
  loads: inClass,
  operations: {
    POST: {
      right: 'A',
      authorize: (context) => checkClassRights(context.actor, context.loaded.class.data, 'update'),
      run: async (context) => openUpload(context, await context.body()),
    },
  },
  forms: { POST: fields },
  response: { status: 201, fields: responseFields, name: 'Upload Form' },
});

async function openUpload(context: ClassContext, body: Body) {
  const { filename, content_type } = validInput(fields, body, 'create');
  const wrong = filenameErrors(filename);
  if (wrong.length > 0) throw invalid({ filename: wrong });
  if (content_type !== '' && !isContentType(content_type)) {
    throw invalid({ content_type: [messages.notContentType] });
  }
  const { files, clock } = context.platform;
  const call = saveCall(context);
  const file = uploadKey(call, filename);
  const expires_at = timestamp(clock.micros() + seconds * 1_000_000);
  // the file's size is known when it is saved: here some space must be free
  const form = await withRoom(call, { files: 1 }, () =>
    files.openUpload(dataOwner(call.instance), file, {
      contentType: contentTypeOf(content_type, filename),
      filename: downloadNameOf(filename),
      maxBytes: maxUploadBytes,
      seconds,
    }),
  );
  return { status: 201, body: { ...form, file, max_size: maxUploadBytes, expires_at } };
}
