// Statements that may visit more rows as a table grows, each with the reason.

export interface Exception {
	/** Found in `store.method(arguments): statement`. */
	readonly statement: RegExp;
	readonly reason: string;
	/** On the embedded database, it runs in its own thread, so that no other request waits for it. */
	readonly isSeparate?: true;
	/** The embedded database reads it by an index. */
	readonly isOfPostgres?: true;
	/** Only where the rows are over, until the job has removed them. */
	readonly isOfOver?: true;
}

export const EXCEPTIONS: readonly Exception[] = [
	{
		statement: /^(requests|apiClients|applications|groups|grants)\.list\(.* LIKE CAST/,
		reason:
			"a search by a part of a name reads all names; the searched tables grow only with the work of administrators",
		isSeparate: true,
	},
	{
		statement: /^users\.list\(.*"q":.* LIKE CAST/,
		reason:
			"inside a transaction, and on PostgreSQL without pg_trgm, a search for users by part of a name reads all names",
		isSeparate: true,
	},
	{
		statement: /^requests\.list\(.*"relatedTo":\{"kind":"partner"/,
		reason:
			"reviewers read the other requests of one applicant: 0.8 s with a million requests, which users type and which are limited by email address. An index over companies would slow down every request",
		isSeparate: true,
	},
	{
		statement: /^apiClients\.list\(.*"sort":/,
		reason:
			"sorts at most 1,000 API clients in another order than newest first; a longer list runs separately",
	},
	{
		statement: /^apiClients\.list\(.*"(dormant|mode)"/,
		reason: "an administrator asks which of the tenant's clients are dormant, or test clients",
		isSeparate: true,
	},
	{
		statement: /^(groups\.listMembers|users\.listActiveMembers)\(/,
		reason: "skips memberships of one group that are over; a job removes 500 of them at a time, every minute",
		isOfOver: true,
	},
	{
		statement: /^directories\.addEvents\(/,
		reason: "a directory keeps its last 1,000 events",
		isOfPostgres: true,
	},
	{
		statement: /^dormancy\.list\("api_client"/,
		reason: "a job asks which API clients of a tenant have no use, which administrators approve one by one",
		isOfPostgres: true,
	},
	{
		statement: /^adminKeys\.namesUsingIssuer\(/,
		reason:
			"an administrator changes or deletes an identity provider; administrators make admin keys one by one",
	},
	{
		statement: /^tenants\.markManaged\(/,
		reason: "an administrator applies a configuration, which has read each of these records",
	},
	{
		statement: /^reviews\.list\(.*"memberId":"/,
		reason: "administrators begin reviews one by one",
	},
	{
		statement: /^reviews\.findAccess\([^\]]*\}\): /,
		reason: "an administrator begins a review of all that a tenant, an application, or a group has",
		isSeparate: true,
	},
	{
		statement: /^programs\.list\(/,
		reason: "reviewers approve programs one by one",
	},
	{
		statement: /^requests\.list\(.*"kind":"(program|person)".*SELECT count/,
		reason: "counts at most 1,001 requests of one kind; a longer list runs separately",
	},
	{
		statement: /^requests\.list\(.*"memberId":"/,
		reason: "a member of a group reads the requests of people for its applications, of which few wait",
		isSeparate: true,
	},
	{
		statement: /^personRequests\.listRequestable\(/,
		reason: "administrators create applications one by one",
		isSeparate: true,
	},
	{
		statement: /^programRequests\.countPending\(/,
		reason: "counts the pending requests of a tenant, at most 200 and one for each program",
	},
	{
		statement: /^directoryPeople\.list\(.*"op":"(?:sw|gt)"/,
		reason: "a filter by a range reads as many rows of an index as it finds",
		isSeparate: true,
	},
	{
		statement: /^directories\.remove\(/,
		reason: "an administrator deletes a directory, with what it says about each of its people",
	},
	{
		statement: /^directoryPeople\.(listMembers|addMembers)\(/,
		reason: "a directory sends and reads all members of one group, at most 10,000",
	},
	{
		statement: /^gates\.list\(/,
		reason: "an operator lists the gates of a tenant; an application has at most one",
	},
	{
		statement: /^applications\.list\(/,
		reason: "administrators create applications one by one",
		isSeparate: true,
	},
	{
		statement: /^(applications|groups)\.listUsage\(/,
		reason:
			"counts at most 1,000 users and API clients of each application, or members and grants of each group, of a page",
		isSeparate: true,
	},
	{
		statement: /^oauthClients\.listPublished\(/,
		reason:
			"discovery lists the APIs of tenants that accept requests for programs; administrators connect APIs one by one",
	},
	{
		statement: /^oauthClients\.listContested\(/,
		reason: "platform admins look for contested names; administrators connect APIs one by one",
		isSeparate: true,
	},
	{
		statement: /^personalData\.(listRefusals|listAccessRequests)\(/,
		reason:
			"a user exports their own data, at most three times a day, or an administrator does; an index would slow down every refusal and every request",
		isSeparate: true,
	},
	{
		statement: /^groups\.listMembers\(.*"expires_at"/,
		reason: "an administrator asks which members of one group leave first: reads and sorts all of them",
		isSeparate: true,
	},
	{
		statement: /^grants\.list\(/,
		reason:
			"grants to users and to groups are two tables, and one page sorts all of one application: 2.6 s where it has a million, and with an index over times still 1.8 s for the page and 0.4 s for its total",
		isSeparate: true,
	},
	{
		statement: /^users\.list\(.*"(inactiveSinceMs|isLocked)"/,
		reason: "a report of an administrator: counts and sorts the users it is about",
		isSeparate: true,
	},
	{
		statement: /^audit\.list\(.*"(fromMs|toMs)".*SELECT count/,
		reason: "a period counts its events",
	},
	{
		statement: /^audit\.count\(.*SELECT (at - at %|min\(at\))/,
		reason: "counts at most 200,000 events of a period",
		isSeparate: true,
	},
	{
		statement: /^webhookDeliveries\.replayFailed\(/,
		reason:
			"an administrator sends the failed deliveries of one webhook again, and the oldest are wanted first",
		isOfPostgres: true,
	},
	{
		statement: /^webhookDeliveries\.list\(.*"(status|eventType)"/,
		reason: "deliveries of one webhook are purged after days",
		isSeparate: true,
	},
	{
		statement: /^logoutNotices\.listDue\(/,
		reason: "reads a few index entries for each client with waiting notices; few clients have any",
	},
	{
		statement: /^logoutNotices\.backlog\(/,
		reason: "counts the waiting notices for the metrics; the table contains only these",
	},
	{
		statement: /^(groups|webhooks|applications)\.remove\(.*: DELETE/,
		reason: "deletes what belongs to the removed row",
	},
	{ statement: /^checkpoints\.prune\(.*: DELETE/, reason: "retention deletes the events before a moment" },
];
