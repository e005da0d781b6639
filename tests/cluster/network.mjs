// A private network: a switch, with this program at it, and one computer for each node. Cutting two
// nodes apart leaves their clients connected: that is the fault that brokers handle worst.
//
// `tests/cluster/run` starts everything in a network namespace of its own.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The address of this program, where the daemon and all clients are. */
export const CLIENTS = '10.78.0.100';
const NOBODY = '02:00:00:00:00:99';
export const address = (number) => `10.78.0.${number}`;

const ip = (...words) => execFileSync('ip', words);

/** Makes the switch. Fails in a network that is not the test's own. */
export function makeSwitch() {
  if (process.env.CLUSTER_OWN_NETWORK !== '1') throw new Error('start this with tests/cluster/run');
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'switch', 'type', 'bridge');
  ip('link', 'set', 'switch', 'up');
  ip('addr', 'add', `${CLIENTS}/24`, 'dev', 'switch');
}

/** A computer at a port of the switch. */
export class Computer {
  static async start(number) {
    const computer = new Computer();
    computer.number = number;
    computer.holder = spawn('unshare', ['--net', 'sh', '-c', 'echo here; exec sleep infinity'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(computer.holder.stdout, 'data');
    const port = `port${number}`;
    ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(computer.holder.pid));
    ip('link', 'set', port, 'master', 'switch', 'up');
    computer.ip('link', 'set', 'lo', 'up');
    computer.ip('link', 'set', 'eth0', 'up');
    computer.ip('addr', 'add', `${address(number)}/24`, 'dev', 'eth0');
    return computer;
  }

  /** The words of a command that runs inside. */
  inside(...words) {
    return ['nsenter', [`--net=/proc/${this.holder.pid}/ns/net`, ...words]];
  }

  ip(...words) {
    const [program, all] = this.inside('ip', ...words);
    execFileSync(program, all);
  }

  /** Drops every packet to another address, silently, or lets it pass again. */
  reach(other, reachable) {
    // Frames to a card that nobody has.
    if (reachable) this.ip('neigh', 'del', other, 'dev', 'eth0');
    else this.ip('neigh', 'replace', other, 'lladdr', NOBODY, 'dev', 'eth0', 'nud', 'permanent');
  }

  stop() {
    this.holder.kill('SIGKILL');
  }
}

/** Cuts two computers apart, or joins them again. */
export function connected(one, other, joined) {
  one.reach(address(other.number), joined);
  other.reach(address(one.number), joined);
}
