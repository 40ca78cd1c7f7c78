/** The library leaves timers behind, up to minutes after a socket ended: nothing that a test's process should stay for. */
const LONG_MS = 5_000;
const start = globalThis.setTimeout;
globalThis.setTimeout = new Proxy(start, {
  apply(target, self, [run, ms, ...rest]: Parameters<typeof start>) {
    const timer = Reflect.apply(target, self, [run, ms, ...rest]);
    return (ms ?? 0) > LONG_MS ? timer.unref() : timer;
  },
});
