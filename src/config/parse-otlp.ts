// Parses the URL and the headers of the receiver of traces and metrics.

import type { Parsed } from "./setting.ts";

const BASE_URL = /^https?:\/\/[^\s?#\\@]+$/i;

/** A base URL with an optional path. @returns it without a trailing slash. */
export function parseOtlpEndpoint(text: string): Parsed<string> {
	const url = BASE_URL.test(text) ? URL.parse(text) : null;
	if (url === null)
		return {
			mustBe: "http://host or https://host with an optional port and path, without credentials and query",
		};
	const base = url.href.replace(/\/$/, "");
	if (/\/v1\/(?:traces|metrics|logs)$/.test(base))
		return { mustBe: "the base URL of the receiver: /v1/traces and /v1/metrics are appended" };
	return { value: base };
}

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\x20-\x7e]+$/;
/** Headers that the exporter sets itself. */
const OWN = new Set([
	"connection",
	"content-encoding",
	"content-length",
	"content-type",
	"host",
	"transfer-encoding",
]);

/** Comma-separated `name=value` with percent-encoded values: the format of OTEL_EXPORTER_OTLP_HEADERS. */
export function parseOtlpHeaders(text: string): Parsed<Readonly<Record<string, string>>> {
	const headers: Record<string, string> = {};
	for (const item of text.split(",")) {
		const at = item.indexOf("=");
		const name = item.slice(0, Math.max(0, at)).trim().toLowerCase();
		const value = decoded(item.slice(at + 1).trim());
		if (!NAME.test(name) || value === undefined || !VALUE.test(value))
			return { mustBe: "a comma-separated list of name=value, the values percent-encoded ASCII" };
		if (OWN.has(name)) return { mustBe: `without ${name}, which the exporter sets` };
		if (Object.hasOwn(headers, name)) return { mustBe: "a list in which each header occurs once" };
		Object.defineProperty(headers, name, { value, enumerable: true });
	}
	return { value: headers };
}

function decoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
