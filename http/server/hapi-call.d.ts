/** hapi's own router, which has no types. */
declare module '@hapi/call' {
  interface Match<Route> {
    readonly route: Route;
    readonly params: Readonly<Record<string, string>>;
  }

  export class Router<Route> {
    /** Throws an Error if another route has the same path. */
    add(config: { readonly method: string; readonly path: string }, route: Route): void;
    /**
     * `method` in lower case; HEAD matches GET. Returns an Error if there is no match or the path cannot
     * be decoded.
     */
    route(method: string, path: string): Match<Route> | Error;
  }
}
