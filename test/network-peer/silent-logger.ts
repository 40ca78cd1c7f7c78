/** The library leaves timers running for minutes after a socket has closed. A test process should not wait for them. */
const LONG_MS = 5_000;
const start = globalThis.setTimeout;
globalThis.setTimeout = new Proxy(start, {
  apply(target, self, [run, ms, ...rest]: Parameters<typeof start>) {
    const timer = Reflect.apply(target, self, [run, ms, ...rest]);
    return (ms ?? 0) > LONG_MS ? timer.unref() : timer;
  },
});
