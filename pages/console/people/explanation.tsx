// The explanation: the result, then each rule that grants access or each missing requirement.

import type { Schemas } from "../../api/routes.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ChangesTable } from "../audit/changes-table.tsx";

type Explained = Schemas["AccessExplanation"];

interface ExplanationProps {
	readonly explained: Explained;
	/** To compare a past moment with. */
	readonly now: Explained | undefined;
	/** Name of the person. */
	readonly name: string;
	readonly application: string;
}

export function Explanation({ explained, now, name, application }: ExplanationProps) {
	const t = useWords("console-people");
	const { allowed, at, rules, needed, history, roles, permissions } = explained;
	const reasons = allowed ? rules.map((rule) => ruleText(rule, t)) : needed.map((need) => needText(need, t));
	return (
		<div class="lk-stack">
			<Notice tone={allowed ? "success" : "warning"} title={verdict(explained, { name, application }, t)}>
				{at !== null && <p>{t.asOf(format.dateTime(at))}</p>}
				<p>{allowed ? t.because : t.missing}:</p>
				<ul>
					{[...new Set(reasons)].map((reason) => (
						<li key={reason}>{reason}</li>
					))}
				</ul>
			</Notice>
			{at !== null && now !== undefined && (
				<Comparison then={explained} now={now} from={format.dateTime(at)} />
			)}
			{history !== null && !history.complete && (
				<Notice tone="warning" title={t.incomplete}>
					<ul>
						{history.missing.map((gap) => (
							<li key={gap}>{gap}</li>
						))}
					</ul>
				</Notice>
			)}
			{roles.length + permissions.length > 0 && (
				<DescriptionList
					items={[
						{ term: t.holdsRoles, value: <BadgeList names={roles} /> },
						{ term: t.holdsPermissions, value: <BadgeList names={permissions} /> },
					]}
				/>
			)}
		</div>
	);
}

interface ComparisonProps {
	readonly then: Explained;
	readonly now: Explained;
	readonly from: string;
}

function Comparison({ then, now, from }: ComparisonProps) {
	const t = useWords("console-people");
	const access = ({ allowed }: Explained) => (allowed ? t.hasAccess : t.hasNoAccess);
	const sides = {
		[t.accessTerm]: { from: access(then), to: access(now) },
		[t.holdsRoles]: { from: then.roles, to: now.roles },
		[t.holdsPermissions]: { from: then.permissions, to: now.permissions },
	};
	const changes = Object.entries(sides).filter(([, { from, to }]) => String(from) !== String(to));
	if (changes.length === 0) return <p>{t.sameNow}</p>;
	return <ChangesTable caption={t.comparison} from={from} to={t.now} changes={Object.fromEntries(changes)} />;
}

function verdict(
	{ allowed, permission }: Explained,
	{ name, application }: { readonly name: string; readonly application: string },
	t: WordsOf<"console-people">,
): string {
	if (permission === null) return allowed ? t.mayUse(name, application) : t.mayNotUse(name, application);
	return allowed ? t.may(name, permission, application) : t.mayNot(name, permission, application);
}

function ruleText({ by, group, role, permission }: Explained["rules"][number], t: WordsOf<"console-people">) {
	if (by === "open") return t.ruleOpen;
	if (role === null || permission === null) return group === null ? t.ruleOwn : t.ruleGroup(group.name);
	return group === null
		? t.ruleOwnRole(role.name, permission)
		: t.ruleGroupRole(group.name, role.name, permission);
}

function needText({ what, roles }: Explained["needed"][number], t: WordsOf<"console-people">) {
	if (what === "permission" && roles.length > 0) return t.needsRole(format.list(roles));
	return t.needs[what];
}
