# Debian's ruby-openid-connect: prints the URL of the sign-in, reads the callback, and prints the result.

require "digest"
require "json"
require "openid_connect"
require "securerandom"

client = OpenIDConnect::Client.new(
  identifier: ENV.fetch("OIDC_CLIENT_ID"),
  secret: ENV.fetch("OIDC_CLIENT_SECRET"),
  redirect_uri: ENV.fetch("REDIRECT_URI"),
  host: URI(ENV.fetch("OIDC_ISSUER")).host,
  port: URI(ENV.fetch("OIDC_ISSUER")).port,
  authorization_endpoint: "/oauth/authorize",
  token_endpoint: "/oauth/token",
  userinfo_endpoint: "/oauth/userinfo"
)
verifier = SecureRandom.urlsafe_base64(48)
challenge = Digest::SHA256.base64digest(verifier).tr("+/", "-_").delete("=")
has_pkce = ENV.key?("PKCE")
pkce = has_pkce ? { code_challenge: challenge, code_challenge_method: :S256 } : {}
puts client.authorization_uri(scope: [:openid], state: "state", nonce: "nonce", **pkce)
$stdout.flush

returned = URI.decode_www_form(URI(gets.chomp).query).to_h
begin
  client.authorization_code = returned.fetch("code")
  token = has_pkce ? client.access_token!(code_verifier: verifier) : client.access_token!
  puts JSON.generate(sub: token.userinfo!.sub)
rescue StandardError => error
  puts JSON.generate(error: "#{error.class}: #{error.message}")
end
