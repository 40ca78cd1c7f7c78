import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Scope } from '../../../support/stores.ts';

/** A request for an answer, as a model sees it. */
export interface Asked {
  readonly system: string;
  readonly user: string;
  /** The passages that it was given, by their numbers from 1. */
  readonly passages: readonly string[];
  readonly question: string;
  readonly key: string | undefined;
  readonly format: string | undefined;
}

/** What it answers: the text of a message, or a status with a body. */
export type Told = string | { readonly status: number; readonly body?: string; readonly retryAfter?: number } | 'silence';

/** An OpenAI-compatible endpoint that says what a test wants. */
export interface EngineDouble {
  readonly url: string;
  readonly asked: Asked[];
  /** How it answers from now on; what happens until then happens while it is asked. */
  mind(asked: Asked): Told | Promise<Told>;
  /** Texts that it made vectors of. */
  readonly embedded: string[];
  /** null: it has no embeddings. */
  vector: ((text: string) => readonly number[]) | null;
  /** How it answers requests for vectors instead; null: as `vector` says. */
  vectors: ((input: readonly string[]) => Told) | null;
  /** A request is under way that will be answered. */
  isBusy(): boolean;
}

export const SILENCE = 'silence';

/** A model that does as it is told: the first passage, word for word. */
export const honest = ({ passages: [first = ''] }: Asked): Told => answering(first.split('\n').at(-1) ?? '', [1]);

/** The content of an answer. */
export const answering = (answer: string | null, sources: readonly number[] = [1], handoff = false): string =>
  JSON.stringify({ answer, sources, handoff });

/** A model that was taken over: it says whatever any text tells it to say (`say: …`), and cites all it has. */
export function hijacked({ user, passages }: Asked): Told {
  const orders = [...user.matchAll(/say:? ?"([^"]+)"/gi)].map(([, words]) => words);
  return answering(
    orders.join(' ') || (passages[0] ?? ''),
    passages.map((_, at) => at + 1),
  );
}

export async function engineDouble(scope: Scope): Promise<EngineDouble> {
  const underWay = new Set<object>();
  /** Requests that are never answered. */
  let unanswered = 0;
  const double: EngineDouble = {
    url: '',
    asked: [],
    mind: honest,
    embedded: [],
    vector: null,
    vectors: null,
    isBusy: () => underWay.size > unanswered,
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const told = request.url === '/v1/chat/completions' ? await chat(body, request) : embeddings(body);
    if (told === SILENCE) {
      unanswered += 1;
      response.on('close', () => {
        unanswered -= 1;
      });
      return;
    }
    const { status, text, retryAfter } = told;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    });
    response.end(text);
  }

  async function chat(body: ChatBody, { headers }: IncomingMessage) {
    const asked = askedOf(body, headers.authorization);
    double.asked.push(asked);
    const told = await double.mind(asked);
    if (told === SILENCE) return SILENCE;
    if (typeof told !== 'string')
      return { status: told.status, text: told.body ?? '{"error":{"message":"no"}}', retryAfter: told.retryAfter };
    const message = { role: 'assistant', content: told };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const text = JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: body.model, choices });
    return { status: 200, text, retryAfter: undefined };
  }

  function embeddings({ input, model }: { readonly input: readonly string[]; readonly model: string }) {
    const { vector, vectors } = double;
    const told = vectors?.(input);
    if (told === SILENCE) return SILENCE;
    if (typeof told === 'string') return { status: 200, text: told, retryAfter: undefined };
    if (told) return { status: told.status, text: told.body ?? '{}', retryAfter: told.retryAfter };
    if (!vector) return { status: 404, text: '{"error":{"message":"no such path"}}', retryAfter: undefined };
    double.embedded.push(...input);
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }));
    return { status: 200, text: JSON.stringify({ object: 'list', model, data }), retryAfter: undefined };
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${portOf(server.address())}`;
  watch(scope, origin, underWay);
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(double, { url: `${origin}/v1` });
}

const portOf = (address: ReturnType<Server['address']>): number => (typeof address === 'object' ? (address?.port ?? 0) : 0);

/** Requests to it, from their beginning in this process to their end: virtual time waits for them. */
function watch(scope: Scope, origin: string, underWay: Set<object>): void {
  const requestOf = (message: unknown): { origin: string } => (message as { request: { origin: string } }).request;
  const began = (message: unknown): void => {
    const request = requestOf(message);
    if (String(request.origin) === origin) underWay.add(request);
  };
  const ended = (message: unknown): void => void underWay.delete(requestOf(message));
  subscribe('undici:request:create', began);
  subscribe('undici:request:trailers', ended);
  subscribe('undici:request:error', ended);
  scope.after(() => {
    unsubscribe('undici:request:create', began);
    unsubscribe('undici:request:trailers', ended);
    unsubscribe('undici:request:error', ended);
    // Their end is no longer reported, and a gateway that stops after this would wait for it.
    underWay.clear();
  });
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string };
}

function askedOf({ messages, response_format }: ChatBody, key: string | undefined): Asked {
  const [system = '', user = ''] = ['system', 'user'].map((role) => messages.find((one) => one.role === role)?.content);
  const marker = user.split('\n')[0] ?? '';
  const parts = user.split(`${marker}\n`).map((part) => part.trim());
  const part = (name: string): string => parts.find((one) => one.startsWith(`${name}\n`))?.slice(name.length + 1) ?? '';
  const passages = part('PASSAGES')
    .split(/(?:^|\n\n)\[\d+\] /)
    .slice(1);
  const question = part('QUESTION').replaceAll(marker, '').trim();
  return { system, user, passages, question, key, format: response_format?.type };
}
