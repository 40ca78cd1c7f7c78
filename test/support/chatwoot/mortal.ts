import { ChatwootApi } from '../../../scripts/bridge/chatwoot/api.ts';
import type { Bridge } from '../../../scripts/bridge/chatwoot/context.ts';
import type { BridgeState } from '../../../scripts/bridge/chatwoot/state.ts';
import { TOKEN } from './chatwoot.ts';

/**
 * A bridge that dies like a killed process at a chosen boundary: before a write to its state file, or before, during
 * or after a request. After that, it does not write, send requests or receive anything. Requests that have already
 * been sent continue.
 */
export interface Mortal {
  readonly bridge: Bridge;
  /** Boundaries passed, in order: `ask`, `before POST /contacts`, `after sendMessage`. */
  readonly passed: string[];
  /** Resolves with the boundary at which it died. */
  readonly death: Promise<string>;
  /** Releases the file, as the system does for a dead process. */
  bury(): void;
}

const WRITES: ReadonlySet<string> = new Set<keyof BridgeState>([
  ...(['transaction', 'set', 'save', 'reach', 'finish', 'postpone', 'move', 'markDone', 'ask', 'unask', 'mirrored', 'saveAnswer'] as const),
]);

class Dead extends Error {}

/** `dies` is called at each boundary. */
export function mortal(parts: Bridge, url: string, dies: (boundary: string) => boolean): Mortal {
  const death = Promise.withResolvers<string>();
  const passed: string[] = [];
  let isDead = false;
  const { state } = parts;

  const at = (boundary: string): void => {
    if (isDead) throw new Dead(boundary);
    passed.push(boundary);
    if (!dies(boundary)) return;
    isDead = true;
    death.resolve(boundary);
    throw new Dead(boundary);
  };

  /** A dead bridge gets neither a response nor an error. */
  async function asked<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      at(`before ${what}`);
      const pending = request();
      // Ignore its failure once the bridge is dead.
      pending.catch(() => {});
      at(`during ${what}`);
      const answer = await pending;
      at(`after ${what}`);
      return answer;
    } catch (cause) {
      if (isDead) return new Promise<never>(() => {});
      throw cause;
    }
  }

  const mortalState = new Proxy(state, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (isDead || WRITES.has(String(name))) at(String(name));
        return value.apply(target, args);
      };
    },
  });

  const mortalFetch: typeof fetch = (input, init) => {
    const path = new URL(String(input)).pathname.replace(/^\/api\/v1\/accounts\/\d+/, '').replace(/\d+/g, 'N');
    return asked(`${init?.method} ${path}`, () => fetch(input, init));
  };

  const { gateway } = parts;
  return {
    bridge: {
      ...parts,
      state: mortalState,
      chatwoot: new ChatwootApi({ url, account: 1, token: TOKEN, fetch: mortalFetch, timeoutMs: 60_000 }),
      gateway: {
        pages: gateway.pages,
        file: (id) => asked('file', () => gateway.file(id)),
        call: (id, input, options) => asked(String(id), () => gateway.call(id, input, options)),
      },
      say: (line) => isDead || parts.say(line),
    },
    passed,
    death: death.promise,
    bury: () => state.close(),
  };
}
