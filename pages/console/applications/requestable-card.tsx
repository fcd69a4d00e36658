// Which roles of an application people may request, for how long, and who decides.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { openDialog } from "../dialogs.tsx";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findGroups } from "../grants/find-choices.ts";
import { RolesField } from "../grants/roles-field.tsx";
import { isAdmin } from "../roles.ts";

interface RequestableCardProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

const DAYS = 30;

export function RequestableCard({ application, onChanged }: RequestableCardProps) {
	const t = useWords("console-access").requestable;
	const { id, requestable } = application;
	const group = useReviewers(requestable?.reviewers);
	const stop = useAction(async () => {
		await call("PATCH /applications/{id}", { path: { id }, body: { requestable: null } });
		announce(t.stopped);
		onChanged();
	});
	const change = () =>
		openDialog((close) => (
			<RequestableDialog application={application} group={group} onClose={close} onChanged={onChanged} />
		));
	return (
		<Card
			title={t.title}
			description={t.text}
			actions={
				isAdmin() && (
					<>
						{requestable && (
							<Button pending={stop.isPending} onClick={() => stop.run()}>
								{t.stop}
							</Button>
						)}
						<Button onClick={change}>{requestable ? t.change : t.allow}</Button>
					</>
				)
			}
		>
			{requestable && (
				<DescriptionList
					items={[
						{ term: t.roles, value: <BadgeList names={requestable.roles} none={t.onlyAccess} /> },
						{ term: t.longest, value: t.duration(...amountOf(requestable.longest)) },
						{ term: t.reviewers, value: group?.name ?? t.everyReviewer },
					]}
				/>
			)}
		</Card>
	);
}

interface RequestableDialogProps extends RequestableCardProps {
	readonly group: Choice | undefined;
	readonly onClose: () => void;
}

function RequestableDialog({ application, group, onClose, onChanged }: RequestableDialogProps) {
	const t = useWords("console-access").requestable;
	const { id, requestable } = application;
	const [roles, setRoles] = useState<readonly string[]>(requestable?.roles ?? []);
	const { values, set, field } = useFields({
		longest: String(requestable ? daysOf(requestable.longest) : DAYS),
		reviewers: group,
	});
	const { reviewers } = values;
	const save = useAction(async () => {
		// Hours, which the API also takes, stay unless the days change.
		const isSame = requestable && String(daysOf(requestable.longest)) === values.longest;
		const longest = isSame ? requestable.longest : `P${Number(values.longest)}D`;
		const body = { requestable: { roles: [...roles], longest, reviewers: reviewers?.id ?? null } };
		await call("PATCH /applications/{id}", { path: { id }, body });
		announce(t.saved);
		onClose();
		onChanged();
	});
	return (
		<FormDialog title={t.title} submitLabel={t.save} action={save} onClose={onClose}>
			<RolesField appId={id} values={roles} onValues={setRoles} />
			<TextInput
				{...field("longest")}
				name="requestable.longest"
				label={t.longestDays}
				type="number"
				min={1}
				max={999}
				required
			/>
			<ChooseField
				{...field("reviewers")}
				name="requestable.reviewers"
				label={t.findReviewers}
				source="groups"
				find={findGroups}
			/>
			{reviewers !== undefined && (
				<div class="lk-row">
					<Button size="small" variant="quiet" onClick={() => set({ reviewers: undefined })}>
						{t.withoutGroup(reviewers.name)}
					</Button>
				</div>
			)}
		</FormDialog>
	);
}

/** The group by name, once it is loaded. */
function useReviewers(id: string | null | undefined): Choice | undefined {
	const { data } = useCall("GET /groups/{id}", id ? { path: { id } } : undefined);
	return id && data ? { id, name: data.data.name } : undefined;
}

/** The count and the unit of `P30D` or `PT8H`. */
function amountOf(longest: string): [count: number, unit: "D" | "H"] {
	return [Number(longest.replaceAll(/[^0-9]/g, "")), longest.endsWith("D") ? "D" : "H"];
}

function daysOf(longest: string): number {
	const [count, unit] = amountOf(longest);
	return unit === "D" ? count : Math.ceil(count / 24);
}
