import { decodeReplacing } from '../../../../values/text/decode-text.ts';

/** The reason why a bucket cannot be used: one sentence, without a credential or a text of the service. */
export class BucketError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BucketError';
  }
}

/** A response that was read whole. */
export interface BucketResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Whether an earlier try has failed, which the service may have executed. */
  readonly isRepeated: boolean;
}

/** Checks for an error response to a request that may succeed later. 501 is for a header that is not known. */
export function mayPass(response: Pick<BucketResponse, 'status' | 'bytes'>): boolean {
  const { status } = response;
  if (status === 429 || (status >= 500 && status !== 501)) return true;
  return status >= 400 && errorCodeOf(response) === 'RequestTimeout';
}

/** Returns the text of a response. */
export function textOf({ bytes }: Pick<BucketResponse, 'bytes'>): string {
  return decodeReplacing(bytes).text;
}

const maxErrorBytes = 65_536;
/** At the beginning of a text only, so that the time for a hostile one is bounded. */
const errorText =
  /^(?:<\?xml[^>]{0,200}\?>\s{0,9})?<Error>.{0,9999}?<Code>([A-Za-z]{1,64})<\/Code>/s;

/** Returns the code of an error response, such as `AccessDenied`. */
export function errorCodeOf({ bytes }: Pick<BucketResponse, 'bytes'>): string | undefined {
  if (bytes.length > maxErrorBytes) return undefined;
  return errorText.exec(textOf({ bytes }).trimStart())?.[1];
}

/**
 * Checks for a successful response.
 *
 * @throws BucketError otherwise
 */
export function expectSuccess(
  response: BucketResponse,
  request: { readonly method: string },
): BucketResponse {
  const { status } = response;
  const isError = status === 200 && errorCodeOf(response) !== undefined; // 206 is content of an object
  if (status >= 200 && status < 300 && !isError) return response;
  throw new BucketError(describeFailure(response, request));
}

/** Describes a response without its text, which may repeat credentials. */
export function describeFailure(
  response: Pick<BucketResponse, 'status' | 'bytes'>,
  { method }: { readonly method: string },
): string {
  const { status } = response;
  const code = errorCodeOf(response);
  const described = `the bucket responds to ${method} with ${status}${code === undefined ? '' : ` ${code}`}`;
  const isRedirection = status >= 300 && status < 400;
  return isRedirection ? `${described}: check the endpoint and AWS_REGION` : described;
}
