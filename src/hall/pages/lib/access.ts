/** Signs a page in: from its address, an existing session, an open role, or a dialog. */

import { grantFor, readSession, signIn, type Session } from './session';
import { askToSignIn } from './sign_in';
import { codeWords } from './vocabulary';
import type { Role } from './topics';

export interface AccessAsk {
  roles: readonly Role[];
  board?: string | undefined;
  named?: boolean;
  /**
   * Show the dialog even if the address or an open role would do, because somebody has just signed
   * out.
   */
  asking?: boolean;
  /** Called while signing in fails and is retried; the reason is empty once it has worked. */
  trouble?(reason: string, againInS: number): void;
}

const RETRY_S = 5;

/**
 * User and password from the fragment of the address (after `#`), which is never sent to a server.
 */
function fromAddress(): { user: string; password: string; role: string | null; name: string | null } | null {
  const asked = new URLSearchParams(location.hash.slice(1));
  const user = asked.get('user');
  return user === null
    ? null
    : { user, password: asked.get('password') ?? '', role: asked.get('role'), name: asked.get('name') };
}

const wait = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** Returns only once somebody is signed in for one of the roles. Unattended screens keep trying. */
export async function enter(ask: AccessAsk): Promise<{ session: Session; role: Role }> {
  for (;;) {
    const session = await readSession();
    if (session === null) {
      ask.trouble?.(codeWords('offline'), RETRY_S);
      await wait(RETRY_S);
      continue;
    }
    const address = ask.asking === true ? null : fromAddress();
    const held = ask.roles.find((role) => grantFor(session, role, ask.board));
    if (held !== undefined) return entered(ask, session, held);
    // Take an open role without a dialog if there is no role to choose and no name to ask for.
    const open =
      ask.roles.length === 1 && ask.named !== true && ask.asking !== true
        ? session.open.find((role) => role === ask.roles[0])
        : undefined;
    const role = ask.roles.find((one) => one === address?.role) ?? open ?? ask.roles[0];
    if (role !== undefined && (address !== null || open !== undefined)) {
      const attempt =
        address === null
          ? { role, board: ask.board }
          : { role, board: ask.board, user: address.user, password: address.password, name: address.name ?? undefined };
      const answer = await signIn(attempt);
      if (answer.ok) return entered(ask, answer.session, role);
      const again = answer.retryAfterS ?? RETRY_S;
      ask.trouble?.(codeWords(answer.code), again);
      await wait(again);
      continue;
    }
    const signed = await askToSignIn({
      roles: ask.roles,
      board: ask.board,
      named: ask.named === true,
      open: session.open,
    });
    const granted = signed === null ? undefined : ask.roles.find((one) => grantFor(signed, one, ask.board));
    if (signed !== null && granted !== undefined) return entered(ask, signed, granted);
  }
}

function entered(ask: AccessAsk, session: Session, role: Role): { session: Session; role: Role } {
  ask.trouble?.('', 0);
  return { session, role };
}
