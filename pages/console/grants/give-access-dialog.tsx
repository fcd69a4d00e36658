// Gives a user or a group access to an application; asks only for what is not known yet.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { putGrant, type Subject } from "./change-grant.ts";
import { type Choice, ChooseField } from "./choose-field.tsx";
import { findApplications, findGroups, findPeople } from "./find-choices.ts";
import { RolesField } from "./roles-field.tsx";

interface GiveAccessDialogProps {
	/** One of the two is known. */
	readonly application?: Choice | undefined;
	readonly subject?: Subject | undefined;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

export function GiveAccessDialog({ onClose, onChanged, ...known }: GiveAccessDialogProps) {
	const t = useWords("console-access").grants;
	const [application, setApplication] = useState(known.application);
	const [subject, setSubject] = useState(known.subject);
	const [roles, setRoles] = useState<readonly string[]>([]);
	const [isMissing, setMissing] = useState(false);
	const give = useAction(async () => {
		if (application === undefined || subject === undefined) return setMissing(true);
		await putGrant(application.id, subject, roles);
		announce(t.accessGiven(subject.name, application.name));
		onChanged();
		onClose();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={known.application === undefined ? t.giveApplication : t.giveAccessTo(known.application.name)}
			submitLabel={t.giveAccess}
			action={give}
		>
			{known.subject === undefined && (
				<SubjectField
					value={subject}
					onValue={setSubject}
					error={isMissing && subject === undefined ? t.chooseOne : undefined}
				/>
			)}
			{known.application === undefined && (
				<ChooseField
					name="app_id"
					label={t.findApplication}
					source="applications"
					find={findApplications}
					value={application}
					onValue={(chosen) => {
						setApplication(chosen);
						setRoles([]);
					}}
					error={isMissing && application === undefined ? t.chooseOne : undefined}
					autoFocus
				/>
			)}
			{application !== undefined && (
				<RolesField key={application.id} appId={application.id} values={roles} onValues={setRoles} />
			)}
		</FormDialog>
	);
}

interface SubjectFieldProps {
	readonly value: Subject | undefined;
	readonly onValue: (value: Subject | undefined) => void;
	readonly error: string | undefined;
}

function SubjectField({ value, onValue, error }: SubjectFieldProps) {
	const t = useWords("console-access").grants;
	const [kind, setKind] = useState<Subject["kind"]>("user");
	return (
		<>
			<RadioGroup
				name="kind"
				label={t.toWhom}
				value={kind}
				onValue={(chosen) => {
					setKind(chosen);
					onValue(undefined);
				}}
				options={[
					{ value: "user", label: t.aPerson },
					{ value: "group", label: t.aGroup, hint: t.aGroupHint },
				]}
			/>
			<ChooseField
				key={kind}
				name={kind === "user" ? "user_id" : "group_id"}
				label={kind === "user" ? t.findPerson : t.findGroup}
				source={kind === "user" ? "people" : "groups"}
				find={kind === "user" ? findPeople : findGroups}
				value={value}
				onValue={({ id, name }) => onValue({ kind, id, name })}
				error={error}
				autoFocus
			/>
		</>
	);
}
