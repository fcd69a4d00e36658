// Controls: at rest, in error, disabled; the answers of the API in a form.

import { useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import { Checkbox, RadioGroup } from "../choice.tsx";
import { CodeInput } from "../code-input.tsx";
import { Form, type FormError } from "../form.tsx";
import { FormActions } from "../form-actions.tsx";
import { plus, trash } from "../icons.ts";
import { Link } from "../link.tsx";
import { PasswordInput } from "../password-input.tsx";
import { Select } from "../select.tsx";
import { TextArea } from "../text-area.tsx";
import { TextInput } from "../text-input.tsx";
import { ExampleShell } from "./console-example.tsx";

const ERROR: FormError = {
	code: "request.invalid",
	message: "username must be at least 3 characters",
	details: [
		{ field: "username", message: "must be at least 3 characters" },
		{ field: "ip_allowlist.2", message: "must be an IP address or a network" },
		{ field: "tenant", message: "is unknown" },
	],
};

const BUSY: FormError = {
	code: "rate_limit.exceeded",
	message: "Too many requests from this address.",
	retryAfterSeconds: 12,
};

export function FormExample() {
	const [error, setError] = useState<FormError>();
	return (
		<ExampleShell current="/console/clients">
			<div class="lk-stack">
				<Card title="Form" description="The API's error stands at its field.">
					<Form onSubmit={() => setError({ ...ERROR })} error={error}>
						<Fields />
						<FormActions>
							<Button type="submit" variant="primary">
								Save changes
							</Button>
							<Button onClick={() => setError(BUSY)}>Answer 429</Button>
							<Button onClick={() => setError({ code: "x.y", message: "This name is taken." })}>
								Answer 409
							</Button>
							<Link href="#console" variant="quiet">
								Back
							</Link>
						</FormActions>
					</Form>
				</Card>
				<Buttons />
			</div>
		</ExampleShell>
	);
}

function Fields() {
	const [name, setName] = useState("");
	const [list, setList] = useState("203.0.113.0/24\n2001:db8::/32");
	const [reason, setReason] = useState("We sync orders every night.");
	const [password, setPassword] = useState("correct horse");
	const [code, setCode] = useState("123");
	const [region, setRegion] = useState("eu");
	const [checked, setChecked] = useState(true);
	const [plan, setPlan] = useState("read");
	return (
		<>
			<TextInput
				name="username"
				label="Username"
				value={name}
				onValue={setName}
				required
				hint="3 to 64 characters."
			/>
			<PasswordInput
				name="password"
				label="Password"
				value={password}
				onValue={setPassword}
				autoComplete="new-password"
			/>
			<CodeInput
				name="code"
				label="Code"
				hint="From your authenticator app."
				value={code}
				onValue={setCode}
			/>
			<TextArea name="reason" label="Reason" optional limit={24} value={reason} onValue={setReason} />
			<TextArea name="ip_allowlist" label="Allowed addresses" code value={list} onValue={setList} />
			<Select
				name="region"
				label="Region"
				value={region}
				onValue={setRegion}
				options={[
					{ value: "eu", label: "Europe" },
					{ value: "cn", label: "中国" },
				]}
			/>
			<RadioGroup
				name="plan"
				label="Access"
				value={plan}
				onValue={setPlan}
				options={[
					{ value: "read", label: "Read", hint: "Orders and stock." },
					{ value: "write", label: "Read and write" },
				]}
			/>
			<Checkbox
				name="notify"
				label="Send a mail"
				hint="To the contact."
				checked={checked}
				onValue={setChecked}
			/>
			<TextInput name="fixed" label="Client id" value="0192f0c4" onValue={setName} readOnly code />
		</>
	);
}

function Buttons() {
	const [isPending, setPending] = useState(false);
	return (
		<Card title="Buttons">
			<div class="lk-row">
				<Button variant="primary" pending={isPending} onClick={() => setPending(true)}>
					Primary
				</Button>
				<Button icon={plus}>Secondary</Button>
				<Button variant="quiet">Quiet</Button>
				<Button variant="danger" icon={trash}>
					Danger
				</Button>
				<Button variant="primary" pending>
					Pending
				</Button>
				<Button disabled>Disabled</Button>
				<Button size="small">Small</Button>
				<Link href="https://example.com/" external>
					External link
				</Link>
			</div>
		</Card>
	);
}
