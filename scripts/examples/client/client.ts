import { type Operations, PLACES } from './gateway.generated.ts';

/** A refusal of the gateway. `code` is stable; the message is for people. */
export class GatewayError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Wanted<Part> = keyof Part extends never ? Record<string, never> : Part;

/** What a call needs: only the parts that its operation has. */
export type Input<Id extends keyof Operations> = (keyof Operations[Id]['params'] extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: Operations[Id]['params'] }) & {
  readonly query?: Wanted<Operations[Id]['query']>;
} & (Operations[Id]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: Operations[Id]['body'] });

/** An operation and its parts as a request. */
export function requestOf<Id extends keyof Operations>(
  id: Id,
  input: Input<Id>,
): { readonly method: string; readonly path: string; readonly body: unknown } {
  const [method, place] = PLACES[id];
  const params: Readonly<Record<string, unknown>> = { ...input.params };
  const path = place.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  const query = queryOf(Object.entries({ ...input.query }));
  return { method, path: `${path}${query.size > 0 ? `?${query}` : ''}`, body: input.body };
}

/** Calls a gateway: `await gateway.call('sendMessage', { params: { sessionId }, body: { … } })`. */
export class GatewayClient {
  readonly #address: string;
  readonly #token: string;

  /** `token`: of a login, or an API key. */
  constructor(address: string, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** Rejects with GatewayError where the gateway refuses. */
  async call<Id extends keyof Operations>(id: Id, input: Input<Id>): Promise<Operations[Id]['answer']> {
    const { method, path, body } = requestOf(id, input);
    const response = await fetch(`${this.#address}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
    if (!response.ok) throw new GatewayError(response.status, String(answer?.code), String(answer?.error));
    return answer;
  }

  /** The lines of the live stream, as they come; ends when the connection does. `events`: which, default all that are for everybody. */
  async *events(
    events: readonly string[] = [],
  ): AsyncGenerator<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }> {
    const query = queryOf(events.map((name) => ['events', name]));
    const { body } = await fetch(`${this.#address}/v1/events?${query}`, { headers: { authorization: `Bearer ${this.#token}` } });
    let text = '';
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const line = block.split('\n').find((one) => one.startsWith('data: '));
        if (line) yield JSON.parse(line.slice(6));
      }
    }
  }
}

function queryOf(entries: readonly (readonly [name: string, value: unknown])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of entries) query.append(name, String(value));
  return query;
}
