// The access list of config/mosquitto as rules for RMQTT's plug-in `rmqtt-acl`.
//
// Its rules are read from above, and the first that fits decides. A password is part of a rule, in
// clear text. A read rule must cover the whole filter of a subscription: RMQTT has no check when it
// delivers.

import { read } from '../samples/venue.mjs';

const ACTIONS = { read: 'subscribe', write: 'publish', readwrite: 'pubsub' };

/** The rules, as the text of rmqtt-acl.toml; `password` gives each user's. */
export function rules(password, text = read('config/mosquitto/acl')) {
  const list = [];
  let user;
  const users = new Set();
  for (const line of text.split('\n').map((one) => one.trim())) {
    const [kind, ...words] = line.split(/\s+/);
    if (kind === 'user') {
      user = words[0];
      users.add(user);
    } else if (kind === 'topic') {
      list.push(`["allow", { user = "${user}" }, "${ACTIONS[words[0]]}", ["${words[1]}"]]`);
    } else if (kind === 'pattern') {
      list.push(`["allow", "all", "${ACTIONS[words[0]]}", ["${words[1]}"]]`);
    }
  }
  const connects = [...users].map(
    (name) => `["allow", { user = "${name}", password = "${password(name)}" }, "connect"]`,
  );
  const all = [...connects, '["deny", "all", "connect"]', ...list, '["deny", "all"]'];
  return `disconnect_if_pub_rejected = false\nrules = [\n  ${all.join(',\n  ')}\n]\n`;
}
