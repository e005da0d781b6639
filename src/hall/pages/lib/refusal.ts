/** Why the server refuses a request, as a code that `codeWords` puts into words. */

/** Where an answer has no code of the server, as those of a web server in front of it. */
const BY_STATUS: Record<number, string> = {
  401: 'signed_out',
  403: 'refused_by_broker',
  413: 'oversized',
  431: 'bad_request',
  503: 'no_broker',
  504: 'no_answer',
};

/** The code of a refusal from the status and the body of the answer. */
export function refusalOf(status: number, body: unknown): string {
  const { code } = (body ?? {}) as { code?: string };
  // A page that asks for this was signed in when it was opened.
  if (code === 'not_signed_in') return 'signed_out';
  return code ?? BY_STATUS[status] ?? 'offline';
}
