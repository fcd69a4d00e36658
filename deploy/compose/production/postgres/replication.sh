#!/bin/sh
# Runs once, when the image has created the database of the primary: a role for the standby. From the next start, a commit is
# acknowledged only when the standby has it, too.
set -eu

password=$(cat /run/secrets/replication_password)
psql --set=ON_ERROR_STOP=1 --set=password="$password" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
