// A sign-in page.

import { useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { CenteredShell } from "../centered-shell.tsx";
import { Divider } from "../divider.tsx";
import { Form } from "../form.tsx";
import { key } from "../icons.ts";
import { Link } from "../link.tsx";
import { PasswordInput } from "../password-input.tsx";
import { TextInput } from "../text-input.tsx";

const LANGUAGES = [
	{ tag: "en", label: "English" },
	{ tag: "zh-CN", label: "中文" },
] as const;

export function CenteredExample() {
	const [name, setName] = useState("");
	const [password, setPassword] = useState("");
	return (
		<CenteredShell
			title="Sign in"
			lead="to continue to Orders"
			below={
				<>
					No account? <Link href="#centered">Create one</Link>
				</>
			}
			languages={{ current: "en", options: LANGUAGES, onChange: () => undefined }}
		>
			<Form
				onSubmit={() => undefined}
				error={{ code: "login.refused", message: "Wrong username or password." }}
			>
				<TextInput
					name="username"
					label="Username or email"
					value={name}
					onValue={setName}
					autoComplete="username webauthn"
				/>
				<PasswordInput
					name="password"
					label="Password"
					value={password}
					onValue={setPassword}
					autoComplete="current-password"
					hint={<Link href="#centered">Forgotten?</Link>}
				/>
				<Button type="submit" variant="primary" wide>
					Sign in
				</Button>
			</Form>
			<Divider>or</Divider>
			<Button icon={key} wide>
				Sign in with a passkey
			</Button>
		</CenteredShell>
	);
}
