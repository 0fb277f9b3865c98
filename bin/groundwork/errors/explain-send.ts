import { type PathSend, ResponseError } from '../../../shared/clients/client.ts';
import type { RequestPath } from '../../../shared/values/text/request-path.ts';
import { ExplainedError } from './describe-error.ts';

/** Lets requests fail with a remedy where the server does not know the key. */
export function explainKey(send: PathSend, remedy: string): PathSend {
  return explaining(
    send,
    ({ response: { code } }) => code === 'key_unknown' || code === 'key_reset',
    remedy,
  );
}

/** Lets requests fail with a remedy where the instance does not exist. */
export function explainInstance(send: PathSend, base: RequestPath, remedy: string): PathSend {
  const isMissing = ({ request, response }: ResponseError) =>
    response.status === 404 &&
    (request.path === base || response.body.detail === 'Instance was not found.');
  return explaining(send, isMissing, remedy);
}

function explaining(
  send: PathSend,
  isMeant: (error: ResponseError) => boolean,
  remedy: string,
): PathSend {
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      if (!(error instanceof ResponseError && isMeant(error))) throw error;
      throw new ExplainedError(remedy, { cause: error });
    }
  };
}
