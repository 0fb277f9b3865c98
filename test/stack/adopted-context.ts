const place = 'eu-west-1:123456789012';
const tableArn = `arn:aws:dynamodb:${place}:table/restored`;

/** Settings that have a stack use resources that exist, all of them. */
export const adoptedContext = {
  tableArn,
  tableStreamArn: `${tableArn}/stream/2026-01-31T12:00:00.000`,
  secretArn: `arn:aws:secretsmanager:${place}:secret:Master-AbCdEf`,
  bucket: 'the-files',
  keyArn: `arn:aws:kms:${place}:key/1`,
} as const;

/** A setting of them alone, with what it needs. */
export const adoptedSettings = {
  table: { tableArn, tableStreamArn: adoptedContext.tableStreamArn },
  secret: { secretArn: adoptedContext.secretArn },
  bucket: { bucket: adoptedContext.bucket },
  key: { keyArn: adoptedContext.keyArn },
} as const;
