/** The client library prints whole Signal sessions with their private keys to the console; importing this keeps test output free of them. */
for (const way of ['info', 'warn', 'error'] as const) {
  const print = console[way].bind(console);
  console[way] = (...words: readonly unknown[]): void => {
    if (!isAboutSessions(words)) print(...words);
  };
}

const ABOUT =
  /^(Closing (session|open session)|Session error|Failed to decrypt|Decrypted message with closed|Removing old closed|Opening session|V1 session)/;

function isAboutSessions(words: readonly unknown[]): boolean {
  return typeof words[0] === 'string' && ABOUT.test(words[0]);
}
