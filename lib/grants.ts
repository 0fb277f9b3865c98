/** What a family's function may do with the table. */
export interface Grant {
  /** What it reads ranges of; single items every function reads, if only those of credentials. */
  readonly queries: 'nothing' | 'table' | 'indexes';
  readonly writes: boolean;
}

const grants: Readonly<Record<string, Grant>> = {
  root: { queries: 'nothing', writes: false },
  account: { queries: 'nothing', writes: true },
  instances: { queries: 'table', writes: true },
  'api-keys': { queries: 'table', writes: true },
  classes: { queries: 'table', writes: true },
  objects: { queries: 'indexes', writes: true },
  batch: { queries: 'indexes', writes: true }, // the union of all: it serves the whole map
};

/** The grant of a family; every family has one. */
export function grantOf(family: string): Grant {
  const grant = grants[family];
  if (grant === undefined) throw new Error(`lib/grants.ts does not say what ${family} may do`);
  return grant;
}

/** Actions on the table's items that a grant comes down to. Transactions need no action of their own. */
export function tableActions({ queries, writes }: Grant): readonly string[] {
  return [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    ...(queries === 'nothing' ? [] : ['dynamodb:Query']),
    ...(writes
      ? [
          'dynamodb:ConditionCheckItem',
          'dynamodb:DeleteItem',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
        ]
      : []),
  ];
}
