/** Messages about records that are imported (docs/reference/transfer.md#errors). */
export const transferMessages = {
  unknownField: 'Unknown field.',
  differs: 'A record with this id exists, and differs.',
  beingDeleted: 'A record with this id is being deleted.',
  noAddress: 'A user without address has confirmed none.',
  badHash: 'Not a password hash of an export, or one that is too costly for this server.',
} as const;
