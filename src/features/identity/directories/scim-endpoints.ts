// `/scim/v2/{issuer_id}/…`: where a directory reads and changes its people and groups (SCIM 2.0, RFC 7644).

import { SCIM_TYPE } from "../../../domain/directory.ts";
import type { Mount, MountedEndpoint } from "../../../http/run/mount.ts";
import type { ErrorForm } from "../../../http/run/reply.ts";
import { hasOwn } from "../../../kernel/shape.ts";
import type { Platform } from "../../platform.ts";
import type { DirectoryCaller } from "./directory-caller.ts";
import type { DirectoryEventRecorder } from "./record-events.ts";
import { scimGuard } from "./scim-guard.ts";

const BASE = "/scim/v2/{issuer_id}";
/** RFC 7644, table 9. */
const SCIM_TYPES = {
	"scim.invalid_filter": "invalidFilter",
	"scim.invalid_path": "invalidPath",
	"scim.invalid_syntax": "invalidSyntax",
	"request.malformed": "invalidSyntax",
	"request.content_type": "invalidSyntax",
	"scim.invalid_value": "invalidValue",
	"scim.no_target": "noTarget",
	"scim.uniqueness": "uniqueness",
} as const;

/** Errors below the path have the form of RFC 7644, section 3.12. */
export const scimErrors: ErrorForm = {
	below: "/scim/v2/",
	contentType: SCIM_TYPE,
	bodyOf: (status, code, detail) =>
		JSON.stringify({
			schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
			status: String(status),
			...(hasOwn(SCIM_TYPES, code) && { scimType: SCIM_TYPES[code] }),
			detail,
		}),
};

/** Loads what responds with the first request: most installations have no directory. */
export function scimMounts(platform: Platform, events: DirectoryEventRecorder): readonly Mount[] {
	const endpoint: MountedEndpoint = {
		kind: "directory",
		guard: scimGuard(platform),
		async respond(request, countClient, caller) {
			// The guard of this endpoint has admitted the request.
			const { directory, ...rest } = caller as DirectoryCaller;
			await countClient(directory.issuerId);
			const { respondScim } = await import("./scim-wire.ts");
			return await respondScim(platform, events, request, { ...rest, directory });
		},
	};
	const row = (method: Mount["method"], path: string): Mount => ({
		...endpoint,
		method,
		path: `${BASE}${path}`,
	});
	return [
		...["/ServiceProviderConfig", "/Schemas", "/ResourceTypes"].map((path) => row("GET", path)),
		...["/Users", "/Groups"].flatMap((path) => [
			row("GET", path),
			row("POST", path),
			...(["GET", "PUT", "PATCH", "DELETE"] as const).map((method) => row(method, `${path}/{id}`)),
		]),
	];
}
