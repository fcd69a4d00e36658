#!/bin/sh
# Creates the secrets of the set in ./secrets, each readable only by the user of its container (10001 Latchkey, 999 PostgreSQL
# and Redis). Run it as root; files that exist keep their content.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets

# put NAME USER VALUE
put() {
	[ -s "secrets/$1" ] || printf '%s\n' "$3" > "secrets/$1"
	chown "$2" "secrets/$1"
	chmod 0400 "secrets/$1"
}

put postgres_password 999 "$(openssl rand -hex 24)"
put replication_password 999 "$(openssl rand -hex 24)"
put redis_password 999 "$(openssl rand -hex 24)"
put master_key 10001 "$(openssl rand -base64 32)"
put database_url 10001 "postgres://latchkey:$(cat secrets/postgres_password)@postgres-1:5432,postgres-2:5432/latchkey"
put redis_url 10001 "redis+sentinel://:$(cat secrets/redis_password)@sentinel-1:26379,sentinel-2:26379,sentinel-3:26379/latchkey"
put smtp_url 10001 "smtps://latchkey:change-me@smtp.example.com:465"
echo "next: write the mail server to secrets/smtp_url, put fullchain.pem and privkey.pem into secrets/, and keep a copy of secrets/master_key elsewhere"
