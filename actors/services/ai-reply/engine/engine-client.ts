import { type Dispatcher, request } from 'undici';
import { type Clock, pause } from '../../../../runtime/clock.ts';
import { codeOf } from '../../../../runtime/errors.ts';
import { JsonTooMuch } from '../../../../runtime/json-scan.ts';
import { parseEmbeddings, vectorsOf } from './embeddings-answer.ts';
import { ANSWER_SCHEMA } from './engine-answer.ts';
import type { PromptMessage } from './prompt.ts';

/** An engine's failure. The message never contains the engine's address, key or output. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null = null, retryAfterMs: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the engine rejected only this request, so that other requests may succeed. */
  get isOfRequest(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422;
  }
}

export interface EngineClientOptions {
  /** The URL must include `/v1`. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
  readonly embeddingModel: string | null;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

/** Time limit for a call, including its retry. */
const WITHIN_MS = 20_000;
/** Enough for 32 embeddings with 4,096 dimensions in full precision. */
const MAX_EMBEDDINGS_BYTES = 8 * 1_024 * 1_024;
const MAX_ANSWER_BYTES = 262_144;
const MAX_TOKENS = 600;
const AGAIN_AFTER_MS = 500;
/** If the engine asks for a longer delay than this, the call is not retried. */
const LONGEST_WAIT_MS = 5_000;

/** Request parameters, strictest first. If a server rejects them, the next ones are tried. */
const FORMS: readonly object[] = [
  {
    temperature: 0.2,
    max_tokens: MAX_TOKENS,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: ANSWER_SCHEMA } },
  },
  { temperature: 0.2, max_tokens: MAX_TOKENS, response_format: { type: 'json_object' } },
  { temperature: 0.2, max_tokens: MAX_TOKENS },
  {},
];

interface Question {
  readonly path: string;
  readonly body: object;
  readonly maxBytes: number;
  parse(answer: Buffer): unknown;
}

const parseShort = (answer: Buffer): unknown => JSON.parse(answer.toString('utf8'));

export class EngineClient {
  readonly #options: EngineClientOptions;
  #form = 0;

  constructor(options: EngineClientOptions) {
    this.#options = options;
  }

  chat(messages: readonly PromptMessage[]): Promise<string> {
    return this.#inTime(WITHIN_MS, async (signal) => {
      for (let form = this.#form; ; form += 1) {
        try {
          const body = { model: this.#options.model, messages, ...FORMS[form] };
          const content = contentOf(
            await this.#twice({ path: '/chat/completions', body, maxBytes: MAX_ANSWER_BYTES, parse: parseShort }, signal),
          );
          // Remember parameters only after success, because a server may reject the question itself.
          this.#form = Math.max(this.#form, form);
          return content;
        } catch (cause) {
          if (!isRefusedForm(cause) || form + 1 >= FORMS.length) throw cause;
        }
      }
    });
  }

  embed(texts: readonly string[], withinMs = WITHIN_MS): Promise<readonly Int8Array[]> {
    return this.#inTime(withinMs, async (signal) => {
      const body = { model: this.#options.embeddingModel, input: texts };
      const vectors = await vectorsOf(
        await this.#twice({ path: '/embeddings', body, maxBytes: MAX_EMBEDDINGS_BYTES, parse: parseEmbeddings }, signal),
        texts.length,
      );
      if (vectors === null) throw new EngineFailure('its embeddings do not match the request', 200);
      return vectors;
    });
  }

  async #inTime<T>(withinMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const cancel = this.#options.clock.after(withinMs, () => abort.abort());
    try {
      return await work(abort.signal);
    } finally {
      cancel();
    }
  }

  async #twice(question: Question, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#post(question, signal);
    } catch (cause) {
      const waitMs = waitBefore(cause);
      if (waitMs === null || signal.aborted) throw cause;
      await pause(this.#options.clock, waitMs);
      if (signal.aborted) throw cause;
      return this.#post(question, signal);
    }
  }

  async #post({ path, body, maxBytes, parse }: Question, signal: AbortSignal): Promise<unknown> {
    const { url, key, dispatcher } = this.#options;
    try {
      const answer = await request(`${url.replace(/\/+$/, '')}${path}`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(body),
        dispatcher,
        signal,
      });
      const bytes = await boundedBytes(answer.body, maxBytes);
      if (answer.statusCode !== 200)
        throw new EngineFailure(`it responded with ${answer.statusCode}`, answer.statusCode, retryAfterOf(answer.headers['retry-after']));
      return await parse(bytes);
    } catch (cause) {
      if (cause instanceof EngineFailure) throw cause;
      if (cause instanceof SyntaxError || cause instanceof JsonTooMuch) throw new EngineFailure('its response is not JSON', 200);
      // Causes from the HTTP client contain the request's headers, so only their code is passed on.
      throw new EngineFailure(signal.aborted ? 'it did not respond in time' : `it could not be reached (${codeOf(cause) ?? 'unknown'})`);
    }
  }
}

function waitBefore(cause: unknown): number | null {
  if (!(cause instanceof EngineFailure)) return null;
  const { status, retryAfterMs } = cause;
  if (status !== null && status !== 429 && status < 500) return null;
  const waitMs = retryAfterMs ?? AGAIN_AFTER_MS;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : null;
}

const isRefusedForm = (cause: unknown): boolean => cause instanceof EngineFailure && (cause.status === 400 || cause.status === 422);

function retryAfterOf(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

async function boundedBytes(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    // Throwing ends the loop, which closes the connection.
    if (size > maxBytes) throw new EngineFailure('its response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function field(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Some servers send the text in parts. */
function contentOf(answer: unknown): string {
  const message = field(field(field(answer, 'choices'), 0), 'message');
  const content = field(message, 'content');
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content
      .map((part) => field(part, 'text'))
      .filter((text) => typeof text === 'string')
      .join('');
  // The model refused to answer or returned no text.
  if (typeof message === 'object' && message !== null) return '';
  throw new EngineFailure('its response has no message', 200);
}
