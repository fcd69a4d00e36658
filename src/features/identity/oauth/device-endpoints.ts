// Endpoints of the page `/oauth/device`: a user enters the code that a device shows, and approves or denies the
// application.

import { USER_CODE_TEXT_MAX } from "../../../domain/device-code.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, empty, endpoint } from "../../../http/endpoint.ts";
import { boolean, integer, list, object, plain, secretText, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { secondsUntil } from "../../../kernel/clock.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { ENTRY_ERRORS } from "../auth/sign-in-wire.ts";
import { approveDevice, denyDevice, getDevice } from "./answer-device.ts";
import { listAskedApis } from "./answer-interaction.ts";
import { askedApisSchema } from "./asked-api-wire.ts";

const shown = object(
	{
		application: object({
			id: plain({ format: "uuid" }),
			name: plain(),
			homepage_url: plain(),
			logo_url: plain(),
		}),
		first_party: boolean({ description: "The operator's own application: no consent is recorded." }),
		scopes: list(plain()),
		apis: askedApisSchema,
		requested_at: time({ description: "When the device asked for its code." }),
		requested_from: plain({ description: "Address that the device asked from." }),
		expires_in: integer({ description: "Seconds until the code expires." }),
	},
	{ title: "DeviceRequest" },
);
const toWireDevice = toWire(shown);

const body = object({
	user_code: secretText({
		max: USER_CODE_TEXT_MAX,
		description: "The code that the device shows; case, spaces and dashes do not matter.",
		examples: ["WDJB-MJHT"],
	}),
});
const CODE_ERRORS: readonly ErrorCode[] = [
	"application.token",
	"device.not_found",
	"code.too_many",
	"service.overloaded",
];

export function deviceEndpoints(platform: Platform) {
	return {
		preview: endpoint<SignedIn>()({
			name: "previewDevice",
			summary: "Get what an application on a device asks of a person",
			description:
				"For the page `/oauth/device`. A wrong, used or expired code and one of another tenant have the same answer. Wrong codes delay further ones, as wrong passwords do.",
			body,
			response: data(200, shown, "The device."),
			errors: CODE_ERRORS,
			secret: true,
			async handle({ body: { user_code }, caller }) {
				const { device, client } = await getDevice(platform, user_code, caller);
				const { name, homepageUrl, logoUrl } = client.application;
				const { asked, ip, createdAtMs, expiresAtMs } = device;
				const apis = await listAskedApis(platform, client, asked);
				return toWireDevice({
					application: { id: client.applicationId, name, homepage_url: homepageUrl, logo_url: logoUrl },
					firstParty: client.firstParty,
					scopes: [...asked.scopes],
					apis,
					requestedAtMs: createdAtMs,
					requestedFrom: ip,
					expiresIn: secondsUntil(expiresAtMs, platform.clock()),
				});
			},
		}),
		approve: endpoint<SignedIn>()({
			name: "approveDevice",
			summary: "Sign in to an application on a device",
			description:
				"With the person's own session. The account, access to the application and second factors are checked as at any sign-in. What the application gets ends with this session.",
			body,
			response: empty(204, "The device gets its tokens when it asks next."),
			errors: [...CODE_ERRORS, "mfa.required", ...ENTRY_ERRORS],
			handle: ({ body: { user_code }, caller }) => approveDevice(platform, user_code, caller),
		}),
		deny: endpoint<SignedIn>()({
			name: "denyDevice",
			summary: "Refuse an application on a device",
			description: "The application gets the error `access_denied`.",
			body,
			response: empty(204, "The application gets nothing."),
			errors: CODE_ERRORS,
			handle: ({ body: { user_code }, caller }) => denyDevice(platform, user_code, caller),
		}),
	};
}
