/** Returns the text for a status, for example `Not found`. */
export function statusText(status: number): string {
  return statusTexts[status] ?? (status < 400 ? 'Done' : 'Error');
}

const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  400: 'Bad request',
  401: 'Not logged in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Took too long',
  413: 'Too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Server error',
  503: 'Not available',
  504: 'Took too long',
};
