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

/** The library leaves timers behind, up to minutes after a socket ended: nothing that a test's process should stay for. */
const LONG_MS = 5_000;
const start = globalThis.setTimeout;
globalThis.setTimeout = new Proxy(start, {
  apply(target, self, [run, ms, ...rest]: Parameters<typeof start>) {
    const timer = Reflect.apply(target, self, [run, ms, ...rest]);
    return (ms ?? 0) > LONG_MS ? timer.unref() : timer;
  },
});
