# Responds with the method and the path that an application with Rack::MethodOverride runs.
require "json"
require "rack"
require "webrick"

program = lambda do |env|
  # As PHP frameworks and IIS read the path.
  path = env["HTTP_X_ORIGINAL_URL"] || env["HTTP_X_REWRITE_URL"] || env["PATH_INFO"]
  names = env.keys.grep(/\AHTTP_|\AREMOTE_USER/).sort
  [200, { "content-type" => "application/json" }, [JSON.generate(method: env["REQUEST_METHOD"], path: path, names: names)]]
end

app = Rack::MethodOverride.new(program)
quiet = { Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN), AccessLog: [] }
Rack::Handler::WEBrick.run(app, Host: "127.0.0.1", Port: Integer(ENV.fetch("PORT")), **quiet)
