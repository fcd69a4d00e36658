// What the holder of a set-up link does: saves its one issuer, tries it, and finishes.

import { domainNotFound, domainTarget, type EmailDomain } from "../../../domain/email-domain.ts";
import type { IdentityProvider, SubjectClaim } from "../../../domain/identity-provider.ts";
import type { ProviderProfile } from "../../../domain/provider-gateway.ts";
import { type PresentedSetUpLink, type SetUpCaller, setUpLinkInvalid } from "../../../domain/set-up-link.ts";
import type { Stores } from "../../../domain/stores.ts";
import { domainOf, parseEmailAddress } from "../../../kernel/email-address.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { verifyDomain } from "../domains/verify-domain.ts";
import { mailAdministrators } from "../steps/mail-administrators.ts";
import {
	createProvider,
	NEW_PROVIDER,
	type ProviderNeeds,
	updateProvider,
} from "../third-party/manage-provider.ts";

const SLUG_MAX = 40;
/** The last characters of the id keep slugs of similar domains apart. */
const ID_PART = 6;

interface SetUpFields {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecretPlain: string;
	readonly subjectClaim: SubjectClaim;
}

/** The slug is known before the issuer exists, because its callback URL is registered first. */
export function slugOf({ id, domain }: Pick<EmailDomain, "id" | "domain">): string {
	return `${domain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, SLUG_MAX)}-${id.slice(-ID_PART)}`;
}

/** @throws AppError `domain.not_found` */
export async function findDomain(
	{ domains }: Stores<"domains">,
	{ tenantId, domain }: PresentedSetUpLink,
): Promise<EmailDomain> {
	return found(await domains.find(tenantId, domain), domainNotFound);
}

/**
 * Creates the issuer, disabled, or changes it. A trial of earlier settings does not count any more.
 *
 * @throws AppError `token.invalid` (finished, replaced, or revoked meanwhile), `request.invalid`, `issuer.mismatch`, and what
 * `createProvider` and `updateProvider` throw.
 */
export async function saveIssuer(
	needs: ProviderNeeds,
	fields: SetUpFields,
	caller: SetUpCaller,
): Promise<IdentityProvider> {
	const { link } = caller;
	const domain = await findDomain(needs.db.stores, link);
	const hold = async (stores: Stores<"setUpLinks">, changes: { readonly issuerId?: string } = {}) => {
		const untested = { testedAtMs: null, testedBy: "", ...changes };
		if (!(await stores.setUpLinks.change(link.tenantId, link.id, untested, needs.clock())))
			throw setUpLinkInvalid();
	};
	if (link.issuerId !== null)
		return await updateProvider(needs, link.issuerId, { ...fields, force: false }, caller, hold);
	const issuer = {
		...NEW_PROVIDER,
		provider: slugOf(domain),
		kind: "oidc",
		displayName: domain.domain,
		emailDomains: "verified",
		enabled: false,
		signUp: true,
		force: false,
	} as const;
	return await createProvider(needs, { ...issuer, ...fields }, caller, async (stores, { id }) => {
		await hold(stores, { issuerId: id });
		// An administrator chose another one meanwhile.
		if ((await findDomain(stores, link)).issuerId !== null) throw setUpLinkInvalid();
		await stores.domains.update(link.tenantId, domain.id, { issuerId: id }, needs.clock());
	});
}

/** The holder of the link, as the caller of a request with this origin. */
export function holderOf(link: PresentedSetUpLink, origin: Origin): SetUpCaller {
	const actor = {
		tenantId: link.tenantId,
		userId: null,
		actor: `set-up:${link.id}`,
		actorName: link.domain,
	} as const;
	return { ...actor, origin, roles: [], isKey: false, link };
}

/** What a trial proves. */
const TRIED = ["issuer", "clientId", "subjectClaim", "clientSecretSetAtMs"] as const;

/** After a trial sign-in that the page of a link began. Only an address of the domain counts. */
export async function recordTrial(
	{ db, clock }: Needs<"audit" | "domains" | "identityProviders" | "setUpLinks", "clock">,
	tried: IdentityProvider,
	{ email, subject }: ProviderProfile,
	origin: Origin,
): Promise<void> {
	const nowMs = clock();
	const { tenantId, id: issuerId } = tried;
	await db.transaction(async (stores) => {
		const link = await stores.setUpLinks.findByIssuer(tenantId, issuerId);
		if (link === undefined || link.finishedAtMs !== null) return;
		const address = email === null ? undefined : parseEmailAddress(email);
		const isOfDomain = address !== undefined && domainOf(address) === link.domain;
		const changes = { testedBy: address ?? subject, testedAtMs: isOfDomain ? nowMs : null };
		if (!(await stores.setUpLinks.change(tenantId, link.id, changes, nowMs))) return;
		// The link is locked now. Settings that were saved while the provider responded have not been tried.
		const stored = await stores.identityProviders.findById(tenantId, issuerId);
		if (stored === undefined || TRIED.some((field) => stored[field] !== tried[field])) {
			await stores.setUpLinks.change(tenantId, link.id, { testedBy: "", testedAtMs: null }, nowMs);
			return;
		}
		const target = domainTarget({ id: link.domainId, domain: link.domain });
		await stores.audit.append(holderOf(link, origin), "set_up.tested", target, { is_of_domain: isOfDomain });
	});
}

/**
 * From then on, the link changes nothing more, and an administrator may enable the issuer.
 *
 * @throws AppError `set_up.untested`, `domain.unverified`, `domain.taken`, `token.invalid`.
 */
export async function finishSetUp(
	needs: Needs<
		"audit" | "domains" | "mail" | "setUpLinks" | "users",
		"clock" | "publicUrl" | "readTxt" | "wakeMail"
	>,
	caller: SetUpCaller,
): Promise<void> {
	const { link, tenantId } = caller;
	const { issuerId, domain } = link;
	const untested = () =>
		new AppError("set_up.untested", `sign in once with an address of ${domain} before you finish`);
	if (issuerId === null || link.testedAtMs === null) throw untested();
	const { verifiedAtMs } = await findDomain(needs.db.stores, link);
	if (verifiedAtMs === null) await verifyDomain(needs, domain, caller);
	await needs.db.transaction(async (stores) => {
		if (!(await stores.setUpLinks.finish(tenantId, link.id, needs.clock()))) {
			const isOpen = await stores.setUpLinks.change(tenantId, link.id, {}, needs.clock());
			throw isOpen ? untested() : setUpLinkInvalid();
		}
		const target = domainTarget({ id: link.domainId, domain });
		await stores.audit.append(caller, "set_up.finished", target, { issuer_id: issuerId });
		const consoleUrl = `${needs.publicUrl}/console/providers/${issuerId}`;
		await mailAdministrators(stores, tenantId, {
			kind: "set_up_finished",
			domain,
			email: link.testedBy,
			consoleUrl,
		});
	});
	needs.wakeMail();
}
