// The dependencies of use cases. `src/app/` creates them once; a use case names the parts that it needs.

import type { AccessTokens } from "../crypto/access-token.ts";
import type { ReadApiToken, SupportTokenSubject } from "../crypto/api-token.ts";
import type { CodeBox } from "../crypto/code-box.ts";
import type { GateStatement } from "../crypto/gate-statement.ts";
import type { PasskeyParty } from "../crypto/passkey.ts";
import type { PasswordHasher } from "../crypto/password.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import type { ApplicationSignIns } from "../domain/application.ts";
import type { BrandTexts } from "../domain/brand.ts";
import type { ReadTxt } from "../domain/email-domain.ts";
import type { GateSample } from "../domain/gate-sample.ts";
import type { HealthCheck } from "../domain/health-check.ts";
import type { InspectInstallation } from "../domain/installation-check.ts";
import type { KeyedDigests } from "../domain/keyed-digests.ts";
import type { NewMail } from "../domain/mail.ts";
import type { MailPreview } from "../domain/mail-transport.ts";
import type { OpenIdProvider, OpenIdRules } from "../domain/openid-provider.ts";
import type { ProgramDocuments } from "../domain/program-document.ts";
import type { ProviderGateway } from "../domain/provider-gateway.ts";
import type { RefusalRecorder } from "../domain/refusal.ts";
import type { Session } from "../domain/session.ts";
import type { PasswordAttemptCounter } from "../domain/sign-in-attempt.ts";
import type { IdTokenKeys } from "../domain/signing-key.ts";
import type { EventCounter } from "../domain/statistics.ts";
import type { Db, StoreName } from "../domain/stores.ts";
import type { Clock } from "../kernel/clock.ts";
import type { IpAddress } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";

export interface Platform {
	readonly db: Db;
	readonly clock: Clock;
	readonly log: Log;
	readonly version: string;
	/** The issuer of tokens and the only base of links in mails. */
	readonly publicUrl: string;
	/** The brand of the installation, which tenants change for themselves. */
	readonly brand: BrandTexts;
	readonly secretBox: SecretBox;
	readonly passwords: PasswordHasher;
	/** Counts password attempts before the password is checked. */
	readonly attempts: PasswordAttemptCounter;
	readonly keys: KeyedDigests;
	readonly accessTokens: AccessTokens;
	readonly party: PasskeyParty;
	/** Calls the identity providers. */
	readonly providers: ProviderGateway;
	/** Reads what programs publish. */
	readonly programDocuments: ProgramDocuments;
	/** Looks up DNS records of domains. */
	readonly readTxt: ReadTxt;
	readonly idTokenKeys: IdTokenKeys;
	/** Loaded at the first request after an application was connected. */
	readonly openId: OpenIdProvider;
	readonly openIdRules: OpenIdRules;
	readonly readApiToken: ReadApiToken;
	/** The user's own session behind the cookie of a browser; reads it without renewing it. */
	readonly findBrowserSession: (refreshToken: string) => Promise<Session | undefined>;
	/** Seals the codes that take a sign-in to the host of an application. */
	readonly gateCodes: CodeBox;
	/** Issues the token of a support session for the API of an application. */
	readonly issueSupportToken: (subject: SupportTokenSubject) => Promise<string>;
	/** Undefined if it is turned off. */
	readonly gateSample: GateSample | undefined;
	readonly signGateStatement: (statement: GateStatement) => Promise<string>;
	/** Without one, mails are written to files. */
	readonly hasMailServer: boolean;
	/** Mails that the requests of one address may cause in an hour; 0 means no limit. */
	readonly mailsPerHour: number;
	/** Call after a commit: notifies the delivery job that mail waits in the outbox. */
	readonly wakeMail: () => void;
	/** A mail as it would be sent now; sends nothing. */
	readonly previewMail: (mail: NewMail) => Promise<MailPreview>;
	/** Whether a webhook may be sent to this address. */
	readonly isWebhookAddress: (address: IpAddress) => boolean;
	/** Whether an identity provider may be called at this address. */
	readonly isProviderAddress: (address: IpAddress) => boolean;
	/** What `/health` checks. */
	readonly checks: readonly HealthCheck[];
	/** What `/installation` returns. */
	readonly inspect: InspectInstallation;
	/** Whether this process was asked to stop. */
	readonly isStopping: () => boolean;
	readonly signIns: ApplicationSignIns;
	/** Counts events for `/stats` and the metrics. */
	readonly statistics: EventCounter;
	/** Cheap: only buffers. */
	readonly refusals: RefusalRecorder;
}

/** The named stores and the named parts of the platform: `Needs<"users" | "audit", "clock" | "passwords">`. */
export type Needs<Name extends StoreName, Part extends Exclude<keyof Platform, "db"> = never> = {
	readonly db: Db<Name>;
} & Pick<Platform, Part>;
