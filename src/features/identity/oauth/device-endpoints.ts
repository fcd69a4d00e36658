// Endpoints of the page `/oauth/device`: a user enters the code that a device shows, and approves or denies the
// application.

import { USER_CODE_TEXT_MAX } from "../../../domain/device-code.ts";
import { isOpenIdScope } from "../../../domain/oauth-scope.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import { boolean, integer, list, object, plain, secretText, time } from "../../../http/describe/schema.ts";
import { isoTime, secondsUntil } from "../../../kernel/clock.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { ENTRY_ERRORS } from "../auth/sign-in-wire.ts";
import { approveDevice, denyDevice, getDevice } from "./decide-device.ts";
import {
	describeApis,
	presentedApplication,
	requestedApisSchema,
	toWireApplication,
} from "./interaction-wire.ts";

const deviceSchema = object(
	{
		application: presentedApplication,
		first_party: boolean("The operator's own application: no consent is recorded."),
		scopes: list(plain()),
		apis: requestedApisSchema,
		requested_at: time("When the device requested its code."),
		requested_from: plain("The IP address from which the device requested its code."),
		expires_in: integer("Seconds until the code expires."),
	},
	{ title: "DeviceRequest" },
);

const body = object({
	user_code: secretText({
		max: USER_CODE_TEXT_MAX,
		description: "The code that the device shows. Case, spaces, and dashes are ignored.",
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
			summary: "Get the request of an application on a device",
			description:
				"For the page `/oauth/device`. The response is the same for a code that is wrong, used, expired, or of another tenant. Wrong codes delay further attempts, as wrong passwords do.",
			body,
			response: data(200, deviceSchema, "The device."),
			errors: CODE_ERRORS,
			secret: true,
			async handle({ body: { user_code }, caller }) {
				const { device, client } = await getDevice(platform, user_code, caller);
				return {
					application: toWireApplication(client.applicationId, client.application),
					first_party: client.firstParty,
					scopes: device.asked.scopes.filter(isOpenIdScope),
					apis: await describeApis(platform, client.tenantId, device.asked),
					requested_at: isoTime(device.createdAtMs),
					requested_from: device.ip,
					expires_in: secondsUntil(device.expiresAtMs, platform.clock()),
				};
			},
		}),
		approve: endpoint<SignedIn>()({
			name: "approveDevice",
			summary: "Sign in to an application on a device",
			description:
				"Uses the user's own session. The account, access to the application, and second factors are checked as at any sign-in. The application's tokens expire with this session.",
			body,
			response: empty(204, "The device receives its tokens with its next poll."),
			errors: [...CODE_ERRORS, "mfa.required", ...ENTRY_ERRORS],
			handle: ({ body: { user_code }, caller }) => approveDevice(platform, user_code, caller),
		}),
		deny: endpoint<SignedIn>()({
			name: "denyDevice",
			summary: "Deny an application on a device",
			description: "The application receives the error `access_denied`.",
			body,
			response: empty(204, "The application receives no tokens."),
			errors: CODE_ERRORS,
			handle: ({ body: { user_code }, caller }) => denyDevice(platform, user_code, caller),
		}),
	};
}
