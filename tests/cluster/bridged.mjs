// Mosquittos that bridge every message to each other. This is not a cluster, and the run shows why.

import { address } from './network.mjs';
import { PORT } from './cluster.mjs';

/** Each pair of nodes has one bridge, which carries everything both ways. */
function files(number, nodes) {
  const others = nodes.filter((other) => other > number);
  const bridges = others.map(
    (other) => `
connection to-${other}
address ${address(other)}:${PORT}
topic # both 1
cleansession false
notifications false
try_private true
restart_timeout 1
`,
  );
  return {
    'mosquitto.conf': `
user root
log_type error
log_type warning
listener ${PORT} 0.0.0.0
allow_anonymous true
set_tcp_nodelay true
max_queued_messages 200000
max_inflight_messages 300
persistence true
persistence_location ./
autosave_interval 60
${bridges.join('')}`,
  };
}

export const bridged = { name: 'bridged Mosquittos', files, command: ['/usr/sbin/mosquitto', '-c', 'mosquitto.conf'] };

/** One Mosquitto without a bridge, for comparison. */
export const single = { ...bridged, name: 'one Mosquitto', count: 1 };
