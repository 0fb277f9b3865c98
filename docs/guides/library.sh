# Makes what the examples of the guides begin with, on the server of `npm start`: . docs/guides/library.sh
# The account ada@example.com, and the instance `library` with books and films. If it exists, it is deleted first.

API=http://127.0.0.1:3000/v1.1
JSON='Content-Type: application/json'
ADA='{"email": "ada@example.com", "password": "choose one"}'
curl -s $API/account/register/ -H "$JSON" -d "$ADA" -o /dev/null
ACCOUNT_KEY=$(curl -s $API/account/auth/ -H "$JSON" -d "$ADA" | sed 's/.*"account_key":"\([^"]*\)".*/\1/')
curl -s -X DELETE $API/instances/library/ -H "X-API-KEY: $ACCOUNT_KEY" -o /dev/null
curl -s $API/instances/ -H "X-API-KEY: $ACCOUNT_KEY" -H "$JSON" -d '{"name": "library"}' -o /dev/null

# a key for a backend: with ignore_acl it bypasses the permissions of objects
API_KEY=$(curl -s $API/instances/library/api_keys/ -H "X-API-KEY: $ACCOUNT_KEY" -H "$JSON" -d '{"ignore_acl": true}' |
  sed 's/.*"api_key":"\([^"]*\)".*/\1/')

curl -s $API/instances/library/classes/ -H "X-API-KEY: $ACCOUNT_KEY" -H "$JSON" -o /dev/null -d '{"name": "book", "schema": [
  {"name": "title", "type": "string", "filter_index": true, "order_index": true},
  {"name": "loans", "type": "integer"},
  {"name": "tags", "type": "array"},
  {"name": "sequel_of", "type": "reference", "target": "self"}]}'
BOOKS=$API/instances/library/classes/book/objects
curl -s $BOOKS/ -H "X-API-KEY: $API_KEY" -H "$JSON" -o /dev/null \
  -d '{"title": "Little Women", "loans": 8, "tags": ["novel", "classic"]}'

curl -s $API/instances/library/classes/ -H "X-API-KEY: $ACCOUNT_KEY" -H "$JSON" -o /dev/null -d '{"name": "film", "schema": [
  {"name": "title", "type": "string", "filter_index": true, "order_index": true},
  {"name": "year", "type": "integer", "filter_index": true, "order_index": true},
  {"name": "book", "type": "reference", "target": "book", "filter_index": true}]}'
FILMS=$API/instances/library/classes/film/objects
for FILM in '{"title": "Little Women", "year": 1994, "book": 1}' \
  '{"title": "Little Women", "year": 2019, "book": 1}' '{"title": "Metropolis", "year": 1927}'; do
  curl -s $FILMS/ -H "X-API-KEY: $API_KEY" -H "$JSON" -d "$FILM" -o /dev/null
done
