#!/bin/sh
# Makes the secrets that compose.yaml reads, in deploy/secrets or the given folder. A file that exists is kept.
# The containers read them as other users, so the folder is closed to others, not the files. Needs openssl alone.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

# make NAME COMMAND…: writes what the command prints into the file, unless it is there.
make() {
  file=$1
  shift
  [ -s "$file" ] || { "$@" >"$file.new" && chmod 644 "$file.new" && mv "$file.new" "$file"; } || exit 1
}

# The last 32 bytes of an Ed25519 key in DER are the key itself.
base64url() { tail -c 32 | openssl base64 -A | tr '+/' '-_' | tr -d '='; }
signing_keys() {
  # Some programs named openssl know no Ed25519.
  pem=$(openssl genpkey -algorithm ed25519) || return 1
  printf '[{"kty":"OKP","crv":"Ed25519","d":"%s","x":"%s"}]\n' \
    "$(printf '%s\n' "$pem" | openssl pkey -outform DER | base64url)" \
    "$(printf '%s\n' "$pem" | openssl pkey -pubout -outform DER | base64url)"
}

for name in postgres owner service grafana; do make "$name-password" openssl rand -hex 24; done
make internal-token openssl rand -hex 24
make secrets-key openssl rand -base64 32
make token-signing-keys signing_keys
make migration-url printf 'postgres://spp_owner:%s@postgres/spp\n' "$(cat owner-password)"
make database-url printf 'postgres://spp_service:%s@pgbouncer:6432/spp\n' "$(cat service-password)"
make pgbouncer-users printf '"spp_service" "%s"\n' "$(cat service-password)"
