// Texts of errors while signing in, in English, by code: where the API's own text does not suffice for a person.

export default {
	"code.invalid": "The code is wrong or has expired. After five wrong tries ask for another.",
	"password.too_short": "The password is too short: it needs at least 8 characters.",
	"password.too_long": "The password is too long: it may have at most 72 bytes.",
	"password.too_common": "This is one of the most common passwords. Choose another.",
	"password.breached": "This password is known from a data breach. Choose another.",
	"password.same_as_name": "The password must not be your username or e-mail address.",
	"mfa.invalid":
		"That did not work. The code is wrong or was used before, or this sign-in took too long. After five tries you have to start again.",
	"mfa.code_wrong": "The code is wrong. Is the clock of the device right?",
	"passkey.cancelled": "No passkey was used. Try again, or sign in another way.",
	"passkey.unusable": "This browser cannot use a passkey here. Sign in another way.",
	"application.not_found":
		"The link that brought you here is not valid: the application is unknown, or its address is not registered. Nothing was sent to it. Ask whoever runs the application.",
	"interaction.not_found":
		"This sign-in has ended: it took too long, or was finished already. Start again at the application.",
	"interaction.other_tenant":
		"You are signed in at another organisation. Use your account at the one of this application.",
	"device.not_found":
		"This code is wrong, was used or has expired. Look at the device again, or start again there.",
	"tenant.not_found": "The link that brought you here is not valid: there is no such organisation.",
	"ticket.invalid": "This took too long or was used already. Sign in again.",
	"provider.access_denied": "The sign-in was cancelled at the provider.",
	"provider.provider_error": "The provider could not sign you in. Try again later, or sign in another way.",
	"provider.account_exists":
		"There is an account with your e-mail address. Sign in to it with its password, then link the provider in your account.",
	"provider.sign_up_not_allowed":
		"No account here is linked to that one. Ask an administrator for an account.",
	"provider.account_disabled": "This account is disabled.",
	"provider.no_access": "You have no access to this application.",
} as Readonly<Record<string, string>>;
