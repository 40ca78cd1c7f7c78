declare module '@hapi/call' {
  interface Match<Route> {
    readonly route: Route;
    readonly params: Readonly<Record<string, string>>;
  }

  export class Router<Route> {
    add(config: { readonly method: string; readonly path: string }, route: Route): void;
    /** `method` is in lower case; HEAD matches GET. Returns an Error if no route matches. */
    route(method: string, path: string): Match<Route> | Error;
  }
}
