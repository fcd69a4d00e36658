// What floats above a page: dialogs, menus, messages.

import { useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { CopyField } from "../copy-field.tsx";
import { Dialog } from "../dialog.tsx";
import { copy, trash } from "../icons.ts";
import { Menu } from "../menu.tsx";
import { announce } from "../status-line.tsx";
import { TextInput } from "../text-input.tsx";
import { ExampleShell } from "./console-example.tsx";

type Open = "dialog" | "confirm" | undefined;

export function OverlayExample() {
	const [open, setOpen] = useState<Open>();
	const [name, setName] = useState("");
	const deleteOrders = () => {
		setOpen(undefined);
		announce("Orders was deleted");
	};
	return (
		<ExampleShell current="/console/applications">
			<div class="lk-row">
				<Button onClick={() => setOpen("dialog")}>Open dialog</Button>
				<Button variant="danger" onClick={() => setOpen("confirm")}>
					Delete Orders
				</Button>
				<Button onClick={() => announce("Saved")}>Announce success</Button>
				<Button onClick={() => announce("The application is disabled.", "danger")}>Announce error</Button>
				<Menu
					items={[
						{ label: "Copy id", icon: copy, onSelect: () => announce("Copied") },
						{ label: "Delete", icon: trash, tone: "danger", startsGroup: true },
					]}
					label="Actions for Orders"
				/>
			</div>
			{open === "dialog" && (
				<Dialog
					onClose={() => setOpen(undefined)}
					title="Create application"
					actions={
						<>
							<Button onClick={() => setOpen(undefined)}>Cancel</Button>
							<Button variant="primary">Create</Button>
						</>
					}
				>
					<TextInput name="name" label="Name" value={name} onValue={setName} autoFocus />
					<CopyField label="Client id" value="0192f0c4-7b5e-7c1a-9f3e-4d2a6b8c0e1f" />
				</Dialog>
			)}
			{open === "confirm" && (
				<ConfirmDialog
					onClose={() => setOpen(undefined)}
					title="Delete Orders?"
					confirmLabel="Delete application"
					typeToConfirm="Orders"
					action={{ run: deleteOrders, error: undefined, isPending: false }}
				>
					Its roles and grants end at once. This cannot be undone.
				</ConfirmDialog>
			)}
		</ExampleShell>
	);
}
