# A Rack application that signs people in with Debian's ruby-omniauth-openid-connect.

require "digest"
require "json"
require "omniauth"
require "omniauth_openid_connect"
require "rack"
require "rack/handler/webrick"
require "securerandom"
require "webrick"

app_url = ENV.fetch("APP_URL")

# This version of the strategy knows neither PKCE nor what an RP-initiated logout needs to go back.
class Latchkey < OmniAuth::Strategies::OpenIDConnect
  option :name, "latchkey"

  def request_phase
    session["verifier"] = SecureRandom.urlsafe_base64(48)
    challenge = Digest::SHA256.base64digest(session["verifier"]).tr("+/", "-_").delete("=")
    options.extra_authorize_params = { code_challenge: challenge, code_challenge_method: "S256" }
    super
  end

  def client
    return @client if @client
    verifier = session["verifier"]
    super.tap do |client|
      client.define_singleton_method(:access_token!) { |given| super(**given, code_verifier: verifier) }
    end
  end

  def end_session_uri
    @end_session_uri ||= super.tap { session.clear }
  end

  private

  def encoded_post_logout_redirect_uri
    "#{super}&#{URI.encode_www_form(id_token_hint: session["id_token"])}"
  end
end

OpenIDConnect.http_config { |http| http.ssl_config.add_trust_ca(ENV.fetch("SSL_CERT_FILE")) }
OmniAuth.config.logger = Logger.new($stderr, level: Logger::WARN)
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true
OmniAuth.config.failure_raise_out_environments = []

common = {
  issuer: ENV.fetch("OIDC_ISSUER"),
  discovery: true,
  scope: %i[openid profile email roles],
  post_logout_redirect_uri: "#{app_url}/bye",
}
client = { identifier: ENV.fetch("OIDC_CLIENT_ID"), secret: ENV.fetch("OIDC_CLIENT_SECRET") }
back_to = ->(name) { { client_options: { **client, redirect_uri: "#{app_url}/auth/#{name}/callback" } } }

answer = ->(status, text, headers = {}) { [status, { "content-type" => "text/plain", **headers }, [text]] }
program = lambda do |env|
  session = env["rack.session"]
  case env["PATH_INFO"]
  when "/auth/latchkey/callback", "/auth/plain/callback"
    signed_in = env["omniauth.auth"]
    session.clear
    session["id_token"] = signed_in.credentials.id_token
    session["person"] = { uid: signed_in.uid, info: signed_in.info, claims: signed_in.extra.raw_info }
    answer.(303, "", "location" => "#{app_url}/person")
  when "/auth/failure" then answer.(400, Rack::Request.new(env).params["message"].to_s)
  when "/bye" then answer.(200, "signed out")
  when "/person"
    next answer.(303, "", "location" => "#{app_url}/auth/latchkey") unless session["person"]
    answer.(200, JSON.generate(session["person"]))
  else answer.(404, "")
  end
end

app = Rack::Builder.new do
  use Rack::Session::Pool
  use OmniAuth::Builder do
    provider Latchkey, **common, **back_to.("latchkey")
    provider OmniAuth::Strategies::OpenIDConnect, name: "plain", **common, **back_to.("plain")
  end
  run program
end.to_app
quiet = { Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN), AccessLog: [] }
Rack::Handler::WEBrick.run(app, Host: "localhost", Port: Integer(ENV.fetch("PORT")), **quiet)
