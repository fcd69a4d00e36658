// The wire form of the authorization servers to which a client may carry its users.

import { ASSERTION_AUDIENCES_MAX, type AssertionAudience } from "../../../domain/assertion.ts";
import { CLIENT_ID_MAX, ISSUER_MAX } from "../../../domain/identity-provider.ts";
import { exactText, type Infer, list, object, plain, text } from "../../../http/describe/schema.ts";

const shownAudience = object({ issuer: plain(), client_id: plain() }, { title: "AssertionAudience" });
const givenAudience = object(
	{
		issuer: text({
			max: ISSUER_MAX,
			description: "The issuer of the other authorization server, an https URL, compared exactly.",
			examples: ["https://login.partner.example"],
		}),
		client_id: exactText({ max: CLIENT_ID_MAX, description: "The client ID of the program there." }),
	},
	{ title: "AssertionAudienceInput" },
);

export const shownAudiences = list(shownAudience, {
	description: "Authorization servers to which the client may carry its users, with its client ID there.",
});

export const givenAudiences = list(givenAudience, {
	max: ASSERTION_AUDIENCES_MAX,
	description:
		"Authorization servers of others to which the client may carry its users: it exchanges the ID token of a user for an assertion that the other server accepts (ID-JAG). It needs a secret or a key. Default: none.",
});

export function toWireAudiences(audiences: readonly AssertionAudience[]): Infer<typeof shownAudiences> {
	return audiences.map(({ issuer, clientId }) => ({ issuer, client_id: clientId }));
}

export function toAudiences(
	given: Infer<typeof givenAudiences> | undefined,
): readonly AssertionAudience[] | undefined {
	return given?.map(({ issuer, client_id: clientId }) => ({ issuer, clientId }));
}
