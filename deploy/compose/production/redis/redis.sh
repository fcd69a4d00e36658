#!/bin/sh
# Starts Redis (`server`) or a Sentinel (`sentinel`). The first start writes its configuration to the volume, in which Redis
# itself notes the roles after a failover.
set -eu

config=/data/$1.conf
if [ ! -s "$config" ]; then
	password=$(cat /run/secrets/redis_password)
	umask 077
	{
		cat "/etc/redis/$1.conf"
		if [ "$1" = sentinel ]; then
			printf 'sentinel auth-pass latchkey %s\nsentinel announce-ip %s\n' "$password" "$ADVERTISED"
		else
			printf 'requirepass %s\nmasterauth %s\nreplica-announce-ip %s\n' "$password" "$password" "$ADVERTISED"
			if [ -n "${REPLICA_OF:-}" ]; then printf 'replicaof %s 6379\n' "$REPLICA_OF"; fi
		fi
	} > "$config"
fi
if [ "$1" = sentinel ]; then exec redis-server "$config" --sentinel; fi
exec redis-server "$config"
