#!/bin/sh
# Starts PostgreSQL. With STANDBY_OF, an empty volume first becomes a copy of that server and follows it.
set -eu

if [ -n "${STANDBY_OF:-}" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
	PGPASSWORD=$(cat /run/secrets/replication_password)
	export PGPASSWORD
	until pg_basebackup --dbname="host=$STANDBY_OF user=replicator application_name=standby" --pgdata="$PGDATA" \
		--write-recovery-conf --checkpoint=fast; do
		sleep 2
	done
	unset PGPASSWORD
	chmod 0700 "$PGDATA"
fi
exec docker-entrypoint.sh "$@"
