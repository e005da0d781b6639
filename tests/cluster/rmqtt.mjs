// RMQTT with its raft plug-in, as docs/operations.md configures it.

import { address } from './network.mjs';
import { PORT } from './cluster.mjs';

/** The configuration of a node, by file. Each difference to the default has its reason in docs/operations.md. */
function files(number, nodes, { acl, plugins = {}, health = true } = {}) {
  const others = (port) => nodes.map((n) => `"${n}@${address(n)}:${port}"`).join(', ');
  const started = ['rmqtt-cluster-raft', 'rmqtt-retainer', ...Object.keys(plugins), ...(acl ? ['rmqtt-acl'] : [])];
  return {
    'rmqtt.toml': `
[node]
id = ${number}
[node.busy]
check_enable = false
[rpc]
server_addr = "0.0.0.0:5363"
reuseaddr = true
[plugins]
dir = "plugins"
default_startups = [${started.map((name) => `"${name}"`).join(', ')}]
disabled_default_startups = ["rmqtt-http-api", "rmqtt-counter"${acl ? '' : ', "rmqtt-acl"'}]
[log]
to = "console"
level = "info"
[listener.tcp.external]
addr = "0.0.0.0:${PORT}"
allow_anonymous = ${!acl}
nodelay = true
max_packet_size = "256KB"
max_inflight = 300
max_mqueue_len = 20000
max_session_expiry_interval = "1d"
message_expiry_interval = "0s"
`,
    'plugins/rmqtt-cluster-raft.toml': `
worker_threads = 2
node_grpc_addrs = [${others(5363)}]
raft_peer_addrs = [${others(6003)}]
node_grpc_client_timeout = "2s"
try_lock_timeout = "3s"
leader_id = 0
[raft]
proposal_batch_timeout = "5ms"
[health]
exit_on_node_unavailable = ${health}
exit_code = 3
max_continuous_unavailable_count = 2
unavailable_check_interval = "2s"
`,
    'plugins/rmqtt-retainer.toml': `
storage.type = "ram"
max_retained_messages = 0
max_payload_size = "256KB"
retained_message_ttl = "0s"
`,
    ...(acl ? { 'plugins/rmqtt-acl.toml': acl } : {}),
    ...Object.fromEntries(Object.entries(plugins).map(([name, text]) => [`plugins/${name}.toml`, text])),
  };
}

export const rmqtt = { name: 'RMQTT', files, command: [process.env.RMQTTD ?? 'rmqttd', '-f', 'rmqtt.toml'] };
