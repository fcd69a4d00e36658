// Gives people or groups access to an application; asks only for what is not known yet.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { RunDialog } from "../bulk/run-dialog.tsx";
import type { Task } from "../bulk/task.ts";
import type { Subject } from "./change-grant.ts";
import { type Choice, ChooseField, ChooseSeveral } from "./choose-field.tsx";
import { EndField } from "./end-field.tsx";
import { findApplications, findGroups, findPeople } from "./find-choices.ts";
import { accessTo } from "./give-access.ts";
import { RolesField } from "./roles-field.tsx";

interface GiveAccessDialogProps {
	/** One of the two is known. */
	readonly application?: Choice | undefined;
	readonly subject?: Subject | undefined;
	readonly onClose: () => void;
	readonly onChanged: () => void;
}

/** Several people or groups are done one by one. */
export function GiveAccessDialog({ onClose, onChanged, ...known }: GiveAccessDialogProps) {
	const t = useWords("console-access").grants;
	const [application, setApplication] = useState(known.application);
	const [subjects, setSubjects] = useState<readonly Subject[]>(known.subject ? [known.subject] : []);
	const [roles, setRoles] = useState<readonly string[]>([]);
	const [end, setEnd] = useState<string>();
	const [isMissing, setMissing] = useState(false);
	const [task, setTask] = useState<Task<Subject>>();
	const give = useAction(async () => {
		const [first, ...others] = subjects;
		if (application === undefined || first === undefined) return setMissing(true);
		const steps = accessTo(application.id, roles, end);
		if (others.length > 0)
			return setTask({
				title: t.giveAccessTo(application.name),
				label: t.giveAccess,
				rows: subjects,
				nameOf: ({ name }) => name,
				steps,
				isConfirmed: true,
				onDone: onChanged,
			});
		await steps.run(first);
		announce(t.accessGiven(first.name, application.name));
		onChanged();
		onClose();
	});
	if (task !== undefined) return <RunDialog task={task} onClose={onClose} />;
	return (
		<FormDialog
			onClose={onClose}
			title={known.application === undefined ? t.giveApplication : t.giveAccessTo(known.application.name)}
			submitLabel={t.giveAccess}
			action={give}
		>
			{known.subject === undefined && (
				<SubjectsField
					values={subjects}
					onValues={setSubjects}
					error={isMissing && subjects.length === 0 ? t.chooseSome : undefined}
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
			<EndField onValue={setEnd} />
		</FormDialog>
	);
}

interface SubjectsFieldProps {
	readonly values: readonly Subject[];
	readonly onValues: (values: readonly Subject[]) => void;
	readonly error: string | undefined;
}

function SubjectsField({ values, onValues, error }: SubjectsFieldProps) {
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
					onValues([]);
				}}
				options={[
					{ value: "user", label: t.aPerson },
					{ value: "group", label: t.aGroup, hint: t.aGroupHint },
				]}
			/>
			<ChooseSeveral
				key={kind}
				name={kind === "user" ? "user_id" : "group_id"}
				label={kind === "user" ? t.findPerson : t.findGroup}
				source={kind === "user" ? "people" : "groups"}
				find={kind === "user" ? findPeople : findGroups}
				values={values}
				onValues={(chosen) => onValues(chosen.map((one) => ({ ...one, kind })))}
				error={error}
				autoFocus
			/>
		</>
	);
}
