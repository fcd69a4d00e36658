// Converts passkey options and credentials from and to the API's JSON. The browser's own `parse…FromJSON` and `toJSON` are newer
// than passkeys: Safari has them from 18.4.

export function creationOptionsOf(json: unknown): PublicKeyCredentialCreationOptions {
	const { excludeCredentials = [], ...options } = json as PublicKeyCredentialCreationOptionsJSON;
	return {
		...(options as object as PublicKeyCredentialCreationOptions),
		challenge: bytesOf(options.challenge),
		user: { ...options.user, id: bytesOf(options.user.id) },
		excludeCredentials: excludeCredentials.map(descriptorOf),
	};
}

export function requestOptionsOf(json: unknown): PublicKeyCredentialRequestOptions {
	const { allowCredentials = [], ...options } = json as PublicKeyCredentialRequestOptionsJSON;
	return {
		...(options as object as PublicKeyCredentialRequestOptions),
		challenge: bytesOf(options.challenge),
		allowCredentials: allowCredentials.map(descriptorOf),
	};
}

export function credentialJson(credential: PublicKeyCredential): Record<string, unknown> {
	const { id, rawId, type, response, authenticatorAttachment } = credential;
	return {
		id,
		rawId: base64url(rawId),
		type,
		...(authenticatorAttachment !== null && { authenticatorAttachment }),
		clientExtensionResults: credential.getClientExtensionResults(),
		response: { clientDataJSON: base64url(response.clientDataJSON), ...responseJson(response) },
	};
}

function responseJson(response: AuthenticatorResponse): Record<string, unknown> {
	if (response instanceof AuthenticatorAttestationResponse)
		return {
			attestationObject: base64url(response.attestationObject),
			transports: response.getTransports(),
		};
	const { authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
	return {
		authenticatorData: base64url(authenticatorData),
		signature: base64url(signature),
		...(userHandle !== null && { userHandle: base64url(userHandle) }),
	};
}

function descriptorOf(json: PublicKeyCredentialDescriptorJSON): PublicKeyCredentialDescriptor {
	return { ...(json as object as PublicKeyCredentialDescriptor), type: "public-key", id: bytesOf(json.id) };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function base64url(bytes: ArrayBuffer): string {
	const binary = String.fromCharCode(...new Uint8Array(bytes));
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
