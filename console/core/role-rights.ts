// Made from the access of the interface: npx vitest run test/api/role-rights.test.ts -u

/**
 * The weakest role that may send a request, where that is not `read` for a GET and `write` for others: one a line, with
 * the path below the instance. `*` is any one segment.
 */
export const roleRights = `
PUT . full
PATCH . full
DELETE . owner
POST rename/ owner
PUT admins/*/ full
PATCH admins/*/ full
DELETE admins/*/ read
POST invitations/ full
PUT invitations/*/ full
PATCH invitations/*/ full
DELETE invitations/*/ full
POST invitations/*/resend/ full
PUT snippets/config/ full
PATCH snippets/config/ full
GET api_keys/ full
POST api_keys/ full
GET api_keys/*/ full
PUT api_keys/*/ full
PATCH api_keys/*/ full
DELETE api_keys/*/ full
POST api_keys/*/reset_key/ full
GET api_keys/*/aliases/ full
POST api_keys/*/aliases/ full
DELETE api_keys/*/aliases/ full
POST user/auth/ read
POST user/auth/*/ read
GET users/*/sessions/ write
GET users/*/sessions/*/ write
POST user/auth/*/callback/ read
GET user_settings/ full
PUT user_settings/ full
PATCH user_settings/ full
POST user_settings/preview/ full
POST snippets/templates/ full
PUT snippets/templates/*/ full
PATCH snippets/templates/*/ full
DELETE snippets/templates/*/ full
POST snippets/templates/*/rename/ full
POST snippets/templates/*/render/ full
POST endpoints/scripts/p/*/ read
POST endpoints/scripts/p/*/*/ read
POST sockets/endpoints/scripts/p/*/ read
POST sockets/endpoints/scripts/p/*/*/ read
GET export/ owner
POST import/ owner
GET backups/ full
GET backups/full/ full
POST backups/full/ full
GET backups/full/*/ full
DELETE backups/full/*/ full
GET restores/ full
POST restores/ full
GET restores/*/ full
GET dead_letters/ full
GET dead_letters/*/ full
DELETE dead_letters/*/ full
POST dead_letters/*/replay/ full
GET request_log/ full
POST batch/ read
`;
