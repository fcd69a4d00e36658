# Debian's libnet-oauth2-perl: prints the URL of the sign-in, reads the callback, and prints the result.

use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use JSON::MaybeXS;
use Net::OAuth2::Profile::WebServer;
use URI;
use URI::QueryParam;

$| = 1;
my $client = Net::OAuth2::Profile::WebServer->new(
	client_id        => $ENV{OIDC_CLIENT_ID},
	client_secret    => $ENV{OIDC_CLIENT_SECRET},
	site             => $ENV{OIDC_ISSUER},
	authorize_path   => '/oauth/authorize',
	access_token_path => '/oauth/token',
	protected_resource_url => "$ENV{OIDC_ISSUER}/oauth/userinfo",
	redirect_uri     => $ENV{REDIRECT_URI},
	scope            => 'openid',
	state            => 'state',
);
my $verifier = join '', map { ('a' .. 'z')[rand 26] } 1 .. 64;
(my $challenge = sha256_base64($verifier)) =~ tr{+/}{-_};
my @pkce = $ENV{PKCE} ? (code_challenge => $challenge, code_challenge_method => 'S256') : ();
print $client->authorize(@pkce), "\n";

chomp(my $returned = <STDIN>);
my $code = URI->new($returned)->query_param('code');
my $result = eval {
	die "code is missing\n" unless defined $code;
	my $token = $client->get_access_token($code, $ENV{PKCE} ? (code_verifier => $verifier) : ());
	die $token->error . ': ' . ($token->error_description // '') . "\n" if $token->error;
	{ sub => decode_json($token->get('/oauth/userinfo')->content)->{sub} };
} || { error => "$@" };
print encode_json($result), "\n";
