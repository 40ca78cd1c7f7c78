import { Agent, request } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { PROVIDER_TIMEOUT_MS, ProviderFailure } from './provider.ts';

export interface ProviderClientOptions {
  readonly base: string;
  /** Headers are never included in errors or log lines. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly raw: string;
}

const MAX_BYTES = 262_144;
const MAX_FAILURES = 5;
const PAUSE_MS = 30_000;

export class ProviderClient {
  readonly #options: ProviderClientOptions;
  readonly #timeoutMs: number;
  readonly #agent: Agent;
  #failures = 0;
  #pausedUntil = 0;

  constructor(options: ProviderClientOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? PROVIDER_TIMEOUT_MS;
    const timeout = this.#timeoutMs;
    this.#agent = new Agent({
      connect: { timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxResponseSize: MAX_BYTES,
      pipelining: 0,
    });
  }

  get(path: string): Promise<ProviderAnswer> {
    return this.#call('GET', path, undefined, {});
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<ProviderAnswer> {
    return this.#call('POST', path, JSON.stringify(body), headers);
  }

  async #call(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<ProviderAnswer> {
    const { base, headers, clock } = this.#options;
    if (clock.now() < this.#pausedUntil) throw new ProviderFailure('requests to the provider are paused because several failed');
    try {
      const answer = await request(`${base}${path}`, {
        method,
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers, ...more },
        ...(body !== undefined && { body }),
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const raw = await answer.body.text();
      if (answer.statusCode >= 500) throw new ProviderFailure(`the provider responded with ${answer.statusCode}`);
      this.#failures = 0;
      return { status: answer.statusCode, body: parsed(raw), raw };
    } catch (cause) {
      this.#failures += 1;
      if (this.#failures >= MAX_FAILURES) this.#pausedUntil = clock.now() + PAUSE_MS;
      // Causes from the HTTP client contain the request's headers, so only their code is passed on.
      throw cause instanceof ProviderFailure ? cause : new ProviderFailure(`the provider did not answer (${codeOf(cause)})`);
    }
  }
}

const codeOf = (cause: unknown): string => (cause instanceof Error ? String(memberOf(cause, 'code') ?? cause.name) : 'unknown');

function parsed(raw: string): ProviderAnswer['body'] {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
