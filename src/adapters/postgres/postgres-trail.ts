// The function that appends audit events on PostgreSQL, in one statement at the end of a transaction.

import { TIME_AHEAD_MAX_MS, TIME_SKEW_MS } from "../../domain/audit.ts";

/**
 * `entries` is a JSON list of events without number and hash, with their digests, sorted by tenant: nodes that append to
 * several trails take the heads in one order. `deliveries` lists those that webhooks receive, or is NULL. They are queued first:
 * from the lock of a head to the commit, the tenant's other changes wait.
 */
export const APPEND_EVENTS = `
CREATE OR REPLACE FUNCTION append_audit_events(entries JSON, deliveries JSON) RETURNS VOID LANGUAGE plpgsql AS $append$
DECLARE
	delivery RECORD;
	entry RECORD;
	trail TEXT;
	last_number BIGINT;
	last_hash TEXT;
	last_at BIGINT;
	latest BIGINT;
BEGIN
	FOR delivery IN SELECT * FROM json_to_recordset(deliveries)
		AS d (id TEXT, tenant_id TEXT, at BIGINT, give_up_at BIGINT, type TEXT, payload TEXT)
	LOOP
		INSERT INTO webhook_deliveries (webhook_id, id, tenant_id, event_type, payload, status, attempts, round_attempts,
			next_attempt_at, give_up_at, last_error, created_at)
		SELECT w.id, delivery.id, w.tenant_id, delivery.type, delivery.payload, 'pending', 0, 0,
			delivery.at, delivery.give_up_at, '', delivery.at
		FROM webhooks w WHERE w.tenant_id = delivery.tenant_id AND w.status = 'active'
			AND (strpos(w.event_types, ',' || delivery.type || ',') > 0
				OR strpos(w.event_types, ',' || split_part(delivery.type, '.', 1) || '.*,') > 0);
	END LOOP;
	FOR entry IN SELECT * FROM json_to_recordset(entries)
		AS e (tenant_id TEXT, at BIGINT, id TEXT, actor TEXT, actor_name TEXT, action TEXT, target TEXT, target_name TEXT,
			ip TEXT, request_id TEXT, details TEXT, changes TEXT, chain_version INTEGER, digest TEXT)
	LOOP
		IF trail IS DISTINCT FROM entry.tenant_id THEN
			UPDATE audit_heads SET sequence = last_number, hash = last_hash, at = last_at, latest_at = latest WHERE tenant_id = trail;
			trail := entry.tenant_id;
			SELECT h.sequence, h.hash, h.at, h.latest_at INTO last_number, last_hash, last_at, latest
				FROM audit_heads h WHERE h.tenant_id = trail FOR UPDATE;
			IF NOT FOUND THEN
				-- Waits for another transaction that appends the first event, and then follows it.
				INSERT INTO audit_heads AS h (tenant_id, sequence, hash, at) VALUES (trail, 0, '', 0)
				ON CONFLICT (tenant_id) DO UPDATE SET sequence = h.sequence
				RETURNING h.sequence, h.hash, h.at, h.latest_at INTO last_number, last_hash, last_at, latest;
			END IF;
		END IF;
		last_number := last_number + 1;
		IF last_at - entry.at NOT BETWEEN 0 AND ${TIME_SKEW_MS} THEN last_at := entry.at; END IF;
		IF latest - last_at NOT BETWEEN 0 AND ${TIME_AHEAD_MAX_MS} THEN latest := last_at; END IF;
		-- After the head and not waiting for it, as when a month is dropped: the month cannot be dropped from here to the commit.
		LOCK TABLE ONLY audit_events IN ROW EXCLUSIVE MODE;
		PERFORM add_audit_month(last_at);
		last_hash := encode(sha256(convert_to(concat_ws(' ', last_hash, entry.digest, last_number, last_at), 'UTF8')), 'hex');
		INSERT INTO audit_events (tenant_id, sequence, at, id, actor, actor_name, action, target, target_name, ip, request_id,
			details, changes, chain_version, hash)
		VALUES (trail, last_number, last_at, entry.id, entry.actor, entry.actor_name, entry.action, entry.target,
			entry.target_name, entry.ip, entry.request_id, entry.details, entry.changes, entry.chain_version, last_hash);
	END LOOP;
	UPDATE audit_heads SET sequence = last_number, hash = last_hash, at = last_at, latest_at = latest WHERE tenant_id = trail;
END $append$;`;
