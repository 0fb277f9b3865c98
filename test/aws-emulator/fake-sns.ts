/* The parts of SNS that sending pushes uses: every application and endpoint accepts all messages. */

const place = 'arn:AWS::Partition:sns:AWS::Region:AWS::AccountId'; // in the spelling of the template

/** Parses a request of SNS, which is a form; undefined: it is another one. */
export function readSns(body: Buffer): URLSearchParams | undefined {
  return body.subarray(0, 7).toString() === 'Action='
    ? new URLSearchParams(body.toString())
    : undefined;
}

/** Returns the permission that a request of SNS requires. */
export function snsAccess(asked: URLSearchParams): {
  readonly action: string;
  readonly resource: string;
} {
  return { action: `sns:${asked.get('Action')}`, resource: targetOf(asked) };
}

function targetOf(asked: URLSearchParams): string {
  const names = ['PlatformApplicationArn', 'EndpointArn', 'TargetArn'];
  const named = names.map((name) => asked.get(name)).find((arn) => arn !== null);
  return named ?? `${place}:app/${asked.get('Platform')}/${asked.get('Name')}`;
}

/** Responds like SNS, in XML. */
export function respondAsSns(asked: URLSearchParams): string {
  const action = asked.get('Action') ?? '';
  return `<${action}Response><${action}Result>${resultOf(action, asked)}</${action}Result></${action}Response>`;
}

function resultOf(action: string, asked: URLSearchParams): string {
  switch (action) {
    case 'CreatePlatformApplication':
      return `<PlatformApplicationArn>${targetOf(asked)}</PlatformApplicationArn>`;
    case 'CreatePlatformEndpoint': {
      const application = targetOf(asked).replace(':app/', ':endpoint/');
      return `<EndpointArn>${application}/${Buffer.from(asked.get('Token') ?? '').toString('hex')}</EndpointArn>`;
    }
    case 'Publish':
      return '<MessageId>a-push</MessageId>';
    default:
      return '';
  }
}
